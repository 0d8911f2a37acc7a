"""Text and the names for things: ids, cleaning, sizes. Pure functions over strings and numbers, with no I/O.

Anything may import this package; it imports nothing of ours.
"""
