"""The tool that tells how the machine is now."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from wisp_tui.text.clean import clean
from wisp_tui.tools import machine
from wisp_tui.tools.base import Arguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.keeping import bound


@dataclass(frozen=True, slots=True)
class SystemInfo:
    """``system_info``."""

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        return ToolSpec(
            name="system_info",
            description="Show this machine's state; without a topic, all of it.",
            parameters={
                "type": "object",
                "properties": {
                    "topic": {"type": "string", "enum": list(machine.TOPICS)},
                    "match": {"type": "string", "description": "a name or a port to look for"},
                },
            },
            reads_only=True,
            clause="this machine's ports, disk, processes, memory (RAM), battery, network",
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Write the topic asked for, or every one. Raises BadArguments, AuditUnavailable."""
        wanted = arguments.choice("topic", ("", "all", *machine.TOPICS), "")
        match = arguments.values.get("match")
        look = machine.Look(context.directory, str(match) if match is not None else "")
        readers = [machine.TOPICS[wanted]] if wanted in machine.TOPICS else list(machine.TOPICS.values())
        return bound(await asyncio.to_thread(_written, readers, look), context)


def _written(readers: Sequence[machine.Reader], look: machine.Look) -> str:
    """Write some topics, a line each and more where there is more; a name on the machine may hold anything."""
    return "\n".join(clean(line).replace("\n", " ") for read in readers for line in read(look))
