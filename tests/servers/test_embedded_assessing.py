"""The assessment's call on the real embedded runtime: its schema is taken, and its answer can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisp_tui.assessment import Answer, AssessmentJob, Offered
from wisp_tui.config import Home, Settings
from wisp_tui.models import TextDelta
from wisp_tui.models.embedded import EmbeddedModel
from wisp_tui.text.ids import ModelId

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

pytest.importorskip("xllamacpp")

TOOLS = (Offered("read_file", "read a text file, a page at a time"), Offered("current_date", "the date and time now"))


async def test_a_small_model_is_held_to_the_schema(tmp_path: Path, small_model: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    (home.models / small_model.name).symlink_to(small_model)
    settings = Settings.model_validate({"embedded": {"contextLength": 1024, "threads": 1}})
    model = EmbeddedModel(ModelId("embedded:smollm2"), home, settings)
    job = AssessmentJob("What day is it?", TOOLS, None, task_fixed=True, previous=(), facts=(), window=1024)
    answer = "".join([chunk.text async for chunk in model.stream(job.ask()) if isinstance(chunk, TextDelta)])
    await model.close()
    read = job.read(answer)
    assert isinstance(read, Answer), answer
    assert set(read.tools) <= {tool.name for tool in TOOLS}
