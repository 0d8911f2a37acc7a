"""The search index behind the conversations that run."""

from __future__ import annotations

import asyncio
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest

from tests.fakes.model import ScriptedModel, says
from tests.fakes.session import session_with
from wisp_tui.config.cache import search_index
from wisp_tui.recall import Past
from wisp_tui.recall.library import Library
from wisp_tui.session import ThreadOptions
from wisp_tui.session import session as session_module
from wisp_tui.session.indexing import Indexing


async def test_each_turn_is_in_the_index_soon_and_under_its_name_once_it_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_module, "Indexing", partial(Indexing, after=0.0))
    session = session_with(tmp_path, ScriptedModel([says("Yes.")] * 9))
    library = Library(search_index(session.home))
    thread = session.new_thread(ThreadOptions(autosave=True, save="harbour"))

    async def names(words: str) -> list[str]:
        async with asyncio.timeout(20):
            while not (hits := library.find(words, 5)):
                await asyncio.sleep(0)
        return [hit.name for hit in hits]

    await thread.submit("An egret stands here.")
    assert await names("egret") == [thread.conversation.live.ident]
    await thread.submit("And a bittern.")
    assert await names("bittern") == [thread.conversation.live.ident]
    await session.close()
    again = session_with(tmp_path, ScriptedModel([says("Yes.")]))
    await again.new_thread(ThreadOptions(autosave=True)).submit("A wren.")
    await names("wren")
    assert await names("bittern") == ["harbour"]
    year = f"{datetime.now().astimezone():%Y}"
    assert library.find(f"bittern {year}", 5, every_word=True) == [], "the day it was said on is none of its words"
    assert [hit.name for hit in library.find(f"bittern {year}", 5)] == ["harbour"]
    assert [hit.name for hit in library.find("bitt", 5, every_word=True)] == ["harbour"]
    await again.close()
    library.close()


async def test_a_turn_does_not_wait_and_an_end_stops_it(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Yes.")]))
    kept = Indexing(session.home, dict[str, Past], after=3600.0)
    kept.soon()
    kept.soon()
    await asyncio.sleep(0)
    await kept.close()
    assert not search_index(session.home).exists()


async def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Yes.")]))
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    kept = Indexing(session.home, dict[str, Past], after=0.0)
    kept.soon()
    while kept.busy:
        await asyncio.sleep(0)
    await kept.close()
