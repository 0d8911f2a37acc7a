"""Three things to try: what an empty conversation offers, in every face."""

from __future__ import annotations

TRIES = (
    ("what is in this folder, and what is it for?", "the model reads files and, if you allow it, runs commands"),
    ("/tokens", "how much of the model's window the next request takes"),
    ("/help", "every command; F1 lists the keys"),
)
"""What to write, and what comes of it."""
