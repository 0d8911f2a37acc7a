"""The commands of ``wisp``, and how any of them ends: its exit code, its one line when it cannot go on."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import click

from wisp_tui import __version__
from wisp_tui.cli.codes import Exit
from wisp_tui.cli.faults import UsageFault, fault_of, tell
from wisp_tui.cli.pages import DONE, HELP, REFUSED, STOPPED, UNAVAILABLE, page
from wisp_tui.cli.standard import hold_standard_streams
from wisp_tui.text.clean import clean_line

if TYPE_CHECKING:
    from wisp_tui.session import Session, ThreadOptions

Begin: TypeAlias = "Callable[[], tuple[Session, ThreadOptions]]"
"""Opens the session and says how its conversation is opened; raises what ``open_session`` does."""

OpenApp: TypeAlias = "Callable[[Begin], int]"
"""Opens the full-screen app, which calls ``Begin`` once it is shown, and returns its exit code."""


@dataclass(frozen=True, slots=True)
class OverHttp:
    """Where HTTP is served: a port of this machine (0: a free one; None: the usual one), with ``ipv6`` at ::1 too."""

    port: int | None = None
    ipv6: bool = False


ServeMcp: TypeAlias = "Callable[[str | None, OverHttp | None], int]"
"""Serves MCP, over the standard streams or HTTP, with the model of threads that name none; returns the exit code."""


@dataclass(frozen=True, slots=True)
class Faces:
    """The other faces, as functions that ``entry`` hands in: faces do not import each other."""

    open_app: OpenApp
    serve_mcp: ServeMcp


NEAR = 0.75
"""How alike a word and a command's name must be for the word to be taken as a slip of it."""


class Commands(click.Group):
    """``wisp``'s commands, each loaded when it is called. What names no command is a prompt: ``wisp respond``."""

    modules: ClassVar[dict[str, str]] = {
        "chat": "wisp_tui.cli.chat",
        "respond": "wisp_tui.cli.respond",
        "models": "wisp_tui.cli.models",
        "export": "wisp_tui.cli.export",
        "replay": "wisp_tui.cli.replay",
        "facts": "wisp_tui.cli.facts",
        "tools": "wisp_tui.cli.tools",
        "approvals": "wisp_tui.cli.approvals",
        "config": "wisp_tui.cli.config",
        "logs": "wisp_tui.cli.logs",
        "doctor": "wisp_tui.cli.doctor",
        "mcp": "wisp_tui.cli.mcp",
        "completion": "wisp_tui.cli.completion",
    }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order the help shows them."""
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command; each module names its own ``command``."""
        module = self.modules.get(cmd_name)
        return importlib.import_module(module).command if module else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read ``wisp "prompt"`` and ``wisp -m MODEL "prompt"`` as ``wisp respond`` with the same arguments."""
        if (
            args
            and not ctx.resilient_parsing
            and args[0] not in self.modules
            and args[0] not in ("--help", "-h", "--version")
        ):
            self._refuse_slip(args[0])
            args = ["respond", *args]
        return super().parse_args(ctx, args)

    def _refuse_slip(self, word: str) -> None:
        near = difflib.get_close_matches(word, self.modules, n=1, cutoff=NEAR)
        if near and not word.startswith("-"):
            raise UsageFault(
                f"there is no command {word!r}; did you mean `wisp {near[0]}`? "
                f"`wisp respond {word}` sends it as a prompt"
            )


@click.command(
    "wisp",
    cls=Commands,
    invoke_without_command=True,
    context_settings=HELP,
    epilog=page(
        ("wisp-tui", "open the app"),
        ('wisp "why is the sky blue?"', 'the same as wisp respond "…"'),
        ('git diff | wisp "what changed?"', "what is piped in follows the prompt"),
        ("wisp doctor", "look whether everything is there"),
        Environment=(
            ("WISP_HOME", "where wisp keeps everything; ~/.wisp unless set"),
            ("OLLAMA_HOST", "where Ollama listens"),
            ("OPENAI_BASE_URL", "a chat-completions server, and OPENAI_API_KEY its key"),
            ("NO_COLOR", "no colours, if set"),
            ("PAGER", "what o opens in the app's pager; less unless set"),
        ),
        Files_in_the_home=(
            ("config.json", "the settings: wisp config"),
            ("logs/audit.jsonl", "what was recorded: wisp logs"),
            ("transcripts/", "saved conversations: wisp chat --list"),
            ("models/", "GGUF files for embedded:NAME: wisp models"),
        ),
        codes=(DONE, ("1", "the turn, or what was checked, failed"), REFUSED, UNAVAILABLE, STOPPED),
    ),
)
@click.version_option(__version__, prog_name="wisp", message="%(prog)s %(version)s")
@click.pass_context
def wisp(context: click.Context) -> int:
    """Talk to a local model, and see and steer what it sees.

    A conversation is held in the app (`wisp-tui`, `wisp chat`), answered once (`wisp respond`), or served to other
    programs (`wisp mcp`). `wisp COMMAND --help` says what each does.

    `wisp "PROMPT"` is `wisp respond "PROMPT"`: what names no command is a prompt.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    return Exit.DONE


def _usage_fault(error: click.ClickException, program: str) -> str:
    """Say in one line what is wrong with a command line, and where its words are listed."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    path = context.command_path if context is not None else program
    said = clean_line(error.format_message())
    end = "" if said.endswith((".", "?")) else "."
    return f"{path}: {said[:1].lower()}{said[1:]}{end} {path} --help says what there is."


def run(command: click.Command, arguments: Sequence[str], program: str, faces: Faces) -> int:
    """Run a command line and return its exit code."""
    hold_standard_streams()
    try:
        result: object = command.main(list(arguments), prog_name=program, standalone_mode=False, obj=faces)
    except click.ClickException as error:
        tell(_usage_fault(error, program))
        return Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except Exception as error:
        fault = fault_of(error)
        if fault is None:
            raise
        tell(f"{program}: {fault.sentence}")
        return fault.code
    return result if isinstance(result, int) else Exit.DONE
