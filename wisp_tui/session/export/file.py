"""The file a conversation is exported to: which form, which name, new and private."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from wisp_tui.config.home import PRIVATE_FILE
from wisp_tui.session.conversation import Conversation
from wisp_tui.session.export.context import BadRequest, request_body
from wisp_tui.session.export.html import html
from wisp_tui.session.export.markdown import markdown


class NotExported(Exception):
    """Nothing was written; the message says where to and why."""


class Form(StrEnum):
    """What a conversation is written as."""

    MARKDOWN = "markdown"
    HTML = "html"
    CONTEXT = "context"
    """One request's context, as a body for ``/v1/chat/completions``."""

    @property
    def ending(self) -> str:
        """The ending of a file's name."""
        return {Form.MARKDOWN: ".md", Form.HTML: ".html", Form.CONTEXT: ".json"}[self]


_ENDINGS = {".html": Form.HTML, ".htm": Form.HTML, ".xhtml": Form.HTML, ".json": Form.CONTEXT}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be written where. An empty path is one named by the time.

    ``request`` is for a context alone: a turn's number, ``next``, or empty for the last one sent.
    """

    form: Form
    path: str = ""
    request: str = ""


def form_of(path: str) -> Form:
    """Take the form that a file's ending says; Markdown for every other."""
    return _ENDINGS.get(Path(path).suffix.lower(), Form.MARKDOWN)


def written(conversation: Conversation, wanted: Wanted) -> bytes:
    """Make the bytes of an export. Raises NotExported for a request that this session did not send."""
    match wanted.form:
        case Form.MARKDOWN:
            return markdown(conversation).encode("utf-8", "replace")
        case Form.HTML:
            return html(conversation).encode("utf-8", "replace")
        case Form.CONTEXT:
            try:
                return request_body(conversation, wanted.request)
            except BadRequest as error:
                raise NotExported(str(error)) from error


def export(conversation: Conversation, wanted: Wanted) -> Path:
    """Write an export to a new file, 0600: the one named, from the conversation's directory.

    Nothing there is ever replaced, and a file that could not be written whole is not left there. Raises NotExported.
    """
    name = wanted.path or f"wisp-{conversation.clock.now():%Y-%m-%d-%H%M%S}{wanted.form.ending}"
    page = written(conversation, wanted)
    try:
        path = conversation.directory / Path(name).expanduser()
    except RuntimeError as error:  # a ~ that nobody can say the directory of
        raise NotExported(f"{name} cannot be written: {error}") from error
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE_FILE)
    except FileExistsError as error:
        raise NotExported(f"{path} is there already, and is left as it is; name another one") from error
    except (OSError, ValueError) as error:
        raise _unwritten(path, error) from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(page)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _unwritten(path, error) from error
    return path


def _unwritten(path: Path, error: OSError | ValueError) -> NotExported:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return NotExported(f"{path} cannot be written: {reason}")
