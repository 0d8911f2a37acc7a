"""A conversation written for elsewhere: as a page to read (Markdown, HTML), its context as a request to send.

``file`` writes them, and is what commands import; ``markdown``, ``html`` and ``context`` make the bytes, and write
nothing. May import what ``session`` may.
"""

from wisp_tui.session.export.file import Form, NotExported, Wanted, export, form_of, written

__all__ = ["Form", "NotExported", "Wanted", "export", "form_of", "written"]
