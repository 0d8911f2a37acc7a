"""The pager's parts: bytes read a page at a time, lines found among them, what a line looks like, a search.

``source``, ``index``, ``looks``, ``parts``, ``flow``, ``search`` and ``finding`` are plain Python over bytes, without
Textual; ``view`` and ``ask`` are its widgets, ``screens/pager.py`` puts them together. Import ``Paged`` from ``paged``
to show something. The package imports ``outputs``, ``session`` and ``text``.
"""
