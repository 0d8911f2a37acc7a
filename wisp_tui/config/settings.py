"""The settings in ``config.json``: every field with its default, its range and what it does."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from wisp_tui.config.custom_tools import CustomTool
from wisp_tui.text.json import JsonObject, load_object


class ConfigError(Exception):
    """``config.json`` cannot be used; the message names the field and the reason."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True)


class AuditSettings(_Part):
    """The audit log."""

    enabled: bool = Field(default=True, description="Keep the audit log. Off, nothing can be recalled from it.")
    max_bytes: int = Field(default=10 * 1024 * 1024, ge=64 * 1024, le=1 << 30, description="Bytes a log file may hold.")
    keep: int = Field(default=5, ge=1, le=100, description="How many log files are kept, the current one included.")


class ContextSettings(_Part):
    """How the context is kept inside the window."""

    budget: float = Field(default=0.85, ge=0.3, le=0.95, description="Share of the window at which it is condensed.")
    target: float = Field(
        default=0.6, ge=0.0, le=0.95, description="Share of the window a condensation brings it down to."
    )
    headroom_turns: int = Field(default=8, ge=1, le=64, description="Turns averaged for the next turn's room.")
    memory: bool = Field(default=False, description="Give the model the memory tool with every tool.")
    recall: bool = Field(
        default=False,
        description="With the memory tool, put the best lines a request names and no longer shows before it.",
    )
    output_days: int = Field(
        default=30,
        ge=0,
        le=3650,
        description="Days a stored output is kept; 0 keeps it for ever.",
    )


class FactSettings(_Part):
    """Facts and the running summary."""

    enabled: bool = Field(default=True, description="Keep facts.")
    share: float = Field(default=0.1, ge=0.0, le=0.5, description="Share of the window the facts may take.")
    distil: bool = Field(default=True, description="Distil facts from turns that leave the context.")
    summary: bool = Field(default=True, description="Write a running summary of the turns that leave.")
    summary_share: float = Field(default=0.05, ge=0.0, le=0.5, description="Share of the window the summary may take.")
    summary_with_facts: bool = Field(default=True, description="Write the summary in the same call as the facts.")
    kinds: dict[str, dict[str, str | bool]] = Field(
        default={}, description="Changes to the subject kinds, or kinds of your own, by subject."
    )
    test_commands: tuple[str, ...] | None = Field(
        default=None, description="Commands whose exit status is a fact, in place of those shipped."
    )


class AssessmentSettings(_Part):
    """The assessment per request: what a request needs is decided before it is sent."""

    enabled: bool = Field(default=False, description="Decide for each request which tools and facts it needs.")
    tools: Literal["request", "task", "all"] = Field(
        default="request",
        description="Register those of the request, those of all requests since the task changed, or every tool.",
    )
    task_changes: Literal["any", "restated"] = Field(
        default="restated", description="Which requests may change a task the model inferred: any, or one stating it."
    )
    timeout_seconds: int = Field(
        default=20, ge=1, le=600, description="Seconds its model call may take; then every tool is registered."
    )


class ApprovalSettings(_Part):
    """When the person is asked."""

    threshold: Literal["safe", "moderate", "dangerous"] = Field(
        default="moderate", description="The level from which a command asks."
    )
    timeout_seconds: int = Field(
        default=600,
        ge=1,
        le=86_400,
        description="Seconds without an answer after which it is no.",
    )


class CommandPolicySettings(_Part):
    """Which commands are never run, and which run unasked. A pattern is a command, or its first words and ``*``."""

    deny: tuple[str, ...] = Field(default=(), description="Commands that are never run, whoever asks for them.")
    allow: tuple[str, ...] = Field(
        default=(), description="Commands that run unasked, unless they are judged dangerous."
    )


class SandboxSettings(_Part):
    """The walls around commands."""

    enabled: bool = Field(default=True, description="Run commands in the machine's sandbox, where it has one.")
    network: bool = Field(default=True, description="Let commands in the sandbox use the network.")
    writable_paths: tuple[str, ...] = Field(
        default=(), description="What commands may write beside the directory, temporary and cache directories."
    )


class ToolSettings(_Part):
    """The tools."""

    disabled: tuple[str, ...] = Field(default=(), description="Tools no conversation has.")
    custom: dict[str, CustomTool] = Field(default={}, description="Tools of your own, by name: see tools.md.")
    command_timeout_seconds: int = Field(default=120, ge=1, le=86_400, description="Seconds a command may run.")
    command_max_output_bytes: int | None = Field(
        default=None,
        ge=1024,
        le=1 << 20,
        description="Bytes of a command's result shown to the model, in place of the budget.",
    )


class DisplaySettings(_Part):
    """What is shown."""

    shown_output_lines: int = Field(default=20, ge=1, le=1000, description="Lines of an output shown before its fold.")
    theme: str = Field(
        default="wisp-dark", description="The app's theme.", examples=["wisp-dark", "wisp-light", "wisp-ansi"]
    )


class SessionSettings(_Part):
    """Conversations on disk."""

    autosave: bool = Field(
        default=True, description="Keep a copy of a running conversation, to go on with after a crash."
    )


class McpSettings(_Part):
    """The MCP server, `wisp mcp`."""

    max_threads: int = Field(
        default=16, ge=1, le=256, description="Threads open at once; the least recently used one gives way."
    )
    inline_output_bytes: int = Field(
        default=1024, ge=0, le=64 * 1024, description="Bytes of a call's output up to which the answer carries it."
    )
    ask_client: bool = Field(default=True, description="Ask the person in the client too, where it shows questions.")


class ModelSettings(_Part):
    """Which models there are for conversations."""

    hub: str | None = Field(
        default=None, description="Address of the hub that `wisp models pull OWNER/REPO` asks; HF_ENDPOINT, else none."
    )
    disabled: tuple[str, ...] = Field(
        default=(), description="Models (`ollama:granite4.1:8b`) or whole runtimes (`ollama`) that are never used."
    )


class OllamaSettings(_Part):
    """The Ollama runtime."""

    host: str | None = Field(default=None, description="Its address; OLLAMA_HOST, else the local default.")
    context_length: int | None = Field(
        default=None,
        ge=512,
        le=1 << 22,
        description="Window in tokens, in place of the sized one.",
    )
    think: bool | Literal["low", "medium", "high"] | None = Field(
        default=None, description="Ask a thinking model to think, or not to; unset, its own default."
    )
    keep_alive: str | None = Field(default=None, description="How long a model stays loaded (5m, -1).")


class ServerSettings(_Part):
    """A chat-completions server."""

    host: str | None = Field(default=None, description="Its base address, such as http://127.0.0.1:8080.")
    key_variable: str | None = Field(default=None, description="The environment variable that holds its key.")
    key: str | None = Field(default=None, repr=False, description="Its key; the environment is the better place.")
    context_length: int | None = Field(
        default=None,
        ge=512,
        le=1 << 22,
        description="Window in tokens, when the server does not say.",
    )


class EmbeddedSettings(_Part):
    """The embedded runtime."""

    context_length: int = Field(default=8192, ge=512, le=1 << 20, description="Window in tokens.")
    threads: int | None = Field(default=None, ge=1, le=256, description="Threads; unset, the machine's cores less one.")


class Settings(_Part):
    """All settings. Names in the file are those of the aliases; fields not known here are kept and ignored."""

    model: str = Field(default="auto", description="The model new conversations use.", examples=["auto"])
    instructions: str | None = Field(default=None, description="The operator's extension of the system prompt.")
    audit: AuditSettings = AuditSettings()
    context: ContextSettings = ContextSettings()
    facts: FactSettings = FactSettings()
    assessment: AssessmentSettings = AssessmentSettings()
    approval: ApprovalSettings = ApprovalSettings()
    command_policy: CommandPolicySettings = CommandPolicySettings()
    sandbox: SandboxSettings = SandboxSettings()
    tools: ToolSettings = ToolSettings()
    display: DisplaySettings = DisplaySettings()
    sessions: SessionSettings = SessionSettings()
    mcp: McpSettings = McpSettings()
    models: ModelSettings = ModelSettings()
    ollama: OllamaSettings = OllamaSettings()
    llamacpp: ServerSettings = ServerSettings()
    lmstudio: ServerSettings = ServerSettings()
    openai: ServerSettings = ServerSettings()
    embedded: EmbeddedSettings = EmbeddedSettings()


def load_settings(path: Path) -> Settings:
    """Read ``config.json``; a file that is not there gives the defaults.

    Raises ConfigError naming the field, its value and the reason when the file is not JSON or a value is out of range.
    """
    try:
        return Settings.model_validate(read_config(path))
    except ValidationError as error:
        from wisp_tui.config.faults import faults_in

        raise ConfigError(f"{path}: {'; '.join(faults_in(error))}") from error


def read_config(path: Path) -> JsonObject:
    """Read what the file holds, whether it can be used or not; one that is not there holds nothing.

    Raises ConfigError when it cannot be read or is no JSON object.
    """
    try:
        return load_object(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not a JSON object: {error}") from error
