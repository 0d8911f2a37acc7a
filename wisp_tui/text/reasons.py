"""How an error is put into a sentence for a person."""

from __future__ import annotations


def reason(error: Exception) -> str:
    """Say why something failed: an error of the system without its number and path, which the sentence names itself."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)
