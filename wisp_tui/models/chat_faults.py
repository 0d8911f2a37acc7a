"""What a chat-completions server's error means, read from its body before its status. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wisp_tui.models.base import ModelError, ModelUnavailable, ToolsUnsupported
from wisp_tui.models.chat_servers import Server, ServerKind
from wisp_tui.models.fields import obj, objects, text, whole
from wisp_tui.models.overflow import overflow_of
from wisp_tui.text.clean import clean_line
from wisp_tui.text.ids import ModelId
from wisp_tui.text.json import Json, JsonObject, load
from wisp_tui.text.sizes import shorten

_NO_TOOLS = re.compile(
    r"(?:does not|doesn't|do not|don't|cannot) support (?:tools?|tool[ -](?:use|calls?|calling)|function[ -]?calling)"
    r"|tools? (?:param(?:eter)?|use|calls?|calling) (?:requires?|is not supported|are not supported|not supported)"
    r"|no endpoints found that support tool"
    r"|tool choice requires --enable-auto-tool-choice",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"\bmodel\b.{0,200}(?:not found|does not exist|not exist|unknown|no such)|no model", re.IGNORECASE
)
_LOADING = re.compile(r"\bloading\b.{0,40}\bmodel\b|\bmodel\b.{0,40}\bloading\b", re.IGNORECASE)
_ANY_WORDS = re.compile("")
# The statuses (none for any) and words by which a server says that it or the model cannot be used now; then what the
# person is told of it, and what to do. The first that holds counts.
_UNAVAILABLE = (
    ({401, 403}, _ANY_WORDS, "{sent}", "name the variable that holds the key in {kind}.keyVariable in config.json"),
    ({429, 529}, _ANY_WORDS, "takes no more requests now", "try again in a while"),
    ((), _LOADING, "is still loading its model", "try again in a moment"),
    ((), _NO_MODEL, "has no model {name}", "`wisp models` lists what it has"),
    ({502, 503, 504}, _ANY_WORDS, "cannot answer now", "try again in a moment"),
    ({404}, _ANY_WORDS, "serves no chat completions", "check {kind}.host in config.json"),
)
_REQUEST_FAULT = 400
_SERVER_FAULT = 500
_SHORTEST_SECRET = 6

_SET_HOST = "or set {0}.host in config.json to its address"
_REMEDIES: Mapping[ServerKind, str] = {
    ServerKind.LLAMACPP: f"start it (`llama-server -m FILE`), {_SET_HOST.format('llamacpp')}",
    ServerKind.LMSTUDIO: f"start its server (`lms server start`), {_SET_HOST.format('lmstudio')}",
    ServerKind.OPENAI: f"start it, {_SET_HOST.format('openai')}",
}


@dataclass(frozen=True, slots=True)
class ServerFault:
    """A server's error as it gave it. ``status`` is the answer's, or the one the error itself states in a stream."""

    status: int
    error: JsonObject
    words: str

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed when it is made again: nothing says that the request is at fault."""
        return self.status >= _SERVER_FAULT or self.status < _REQUEST_FAULT

    def without(self, secret: str | None) -> ServerFault:
        """Take a secret out of all it says."""
        if not secret or len(secret) < _SHORTEST_SECRET:
            return self
        message = text(self.error.get("message")).replace(secret, "…")
        return ServerFault(self.status, {**self.error, "message": message}, self.words.replace(secret, "…"))


def read_fault(body: bytes | str, status: int) -> ServerFault:
    """Read an error's body, whatever its form: an object, a text under a name, a list of details, no JSON at all."""
    try:
        return fault_of(load(body), status)
    except ValueError:
        words = body if isinstance(body, str) else body.decode("utf-8", "replace")
        return ServerFault(status, {"message": words}, clean_line(words))


def fault_of(value: Json, status: int) -> ServerFault:
    """Read the error that a JSON value holds or is."""
    outer = obj(value)
    error = outer.get("error", outer.get("detail", value))
    if isinstance(error, list | tuple):
        error = "; ".join(text(item.get("msg")) or text(item.get("message")) for item in objects(error))
    if isinstance(error, str):
        error = {"message": error, "code": outer.get("code")}
    fields = {"n_ctx": outer.get("n_ctx"), "n_prompt_tokens": outer.get("n_prompt_tokens"), **obj(error)}
    words = text(fields.get("message"))
    stated = whole(fields.get("code")) or whole(fields.get("status")) or 0
    states_one = status < _REQUEST_FAULT <= stated < 2 * _SERVER_FAULT
    return ServerFault(stated if states_one else status, fields, clean_line(words))


def model_error(fault: ServerFault, server: Server, model: ModelId, *, tools: bool) -> ModelError:
    """Make the typed error that a fault stands for. ``tools`` says whether the request carried any.

    The server's key never appears in it, also where the server repeats it.
    """
    fault = fault.without(server.key)
    overflow = overflow_of(fault.error)
    if overflow is not None:
        return overflow
    if tools and _NO_TOOLS.search(text(fault.error.get("message"))):
        return ToolsUnsupported(model)
    said = _said(fault)
    unavailable = _unavailable(fault, server, model, said)
    return unavailable or ModelError(f"{server.where} answered with an error{said}")


def _unavailable(fault: ServerFault, server: Server, model: ModelId, said: str) -> ModelUnavailable | None:
    sent = "refused the key" if server.key else "asks for a key"
    name = model.partition(":")[2]
    for statuses, words, reason, remedy in _UNAVAILABLE:
        if (not statuses or fault.status in statuses) and words.search(fault.words):
            told = reason.format(sent=sent, name=name)
            return ModelUnavailable(f"{server.where} {told}{said}", remedy.format(kind=server.kind))
    return None


def not_reached(server: Server, why: str) -> ModelUnavailable:
    """Say that no connection could be made, and what to do about it."""
    return ModelUnavailable(f"{server.where} cannot be reached ({why})", _REMEDIES[server.kind])


def _said(fault: ServerFault) -> str:
    status = f" {fault.status}" if fault.status >= _REQUEST_FAULT else ""
    return f"{status}: {shorten(fault.words, 300)}" if fault.words else status
