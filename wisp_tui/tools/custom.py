"""A tool of the person's own: their command line, the model's arguments quoted into it, run as any command is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from wisp_tui.config.custom_tools import CustomTool, Place, filled, parsed
from wisp_tui.text.clean import clean_line, encodable
from wisp_tui.text.json import Json, JsonObject
from wisp_tui.text.sizes import shorten
from wisp_tui.tools.base import Arguments, BadArguments, ToolContext, ToolOutput, ToolSpec
from wisp_tui.tools.run_command import RunCommand

CLAUSE = 80
"""Characters of a clause: the description's first sentence, cut to them."""


@dataclass(frozen=True, slots=True)
class Custom:
    """A tool that ``tools.custom`` describes. ``runs`` is what runs its command."""

    name: str
    described: CustomTool
    runs: RunCommand

    @property
    def spec(self) -> ToolSpec:
        """What the tool is."""
        given = self.described
        properties: dict[str, Json] = {
            name: {"type": "string", "description": clean_line(words)} if words.strip() else {"type": "string"}
            for name, words in given.arguments.items()
        }
        parameters: dict[str, Json] = {"type": "object", "properties": properties}
        if required := [name for name in given.arguments if name not in given.optional]:
            parameters["required"] = [*required]
        sentence = re.split(r"(?<=[.!?])\s", given.description.strip(), maxsplit=1)[0].removesuffix(".")
        return ToolSpec(
            name=self.name,
            description=clean_line(given.description),
            parameters=parameters,
            reads_only=given.reads_only,
            clause=shorten(clean_line(sentence), CLAUSE),
            asks=True,
        )

    async def run(self, arguments: Arguments, context: ToolContext) -> ToolOutput:
        """Run the command with the arguments in place, once the gate lets that line run.

        Raises BadArguments and AuditUnavailable.
        """
        pieces = parsed(self.described.command, self.described.arguments)
        values = self._values(arguments.values)
        for piece in pieces:
            if isinstance(piece, Place) and piece.starts and values.get(piece.name, "").startswith("-"):
                raise BadArguments(f"{piece.name} must not begin with a dash: it would be read as an option")
        command: JsonObject = {"command": filled(pieces, values), "directory": self.described.directory}
        return await self.runs.run(Arguments(command), context)

    def _values(self, given: Mapping[str, Json]) -> Mapping[str, str]:
        """Read the arguments. A number is taken as it is written; an empty optional one counts as left out."""
        values: dict[str, str] = {}
        for name in self.described.arguments:
            value = given.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            if name in self.described.optional and value in (None, ""):
                continue
            if not isinstance(value, str) or "\0" in value:
                raise BadArguments(f"{name} must be a string without NUL characters")
            values[name] = encodable(value)
        return values
