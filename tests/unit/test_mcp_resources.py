"""What a client can read: every resource's shape, pages, and what is no resource."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from mcp import MCPError, types

from tests.fakes.mcp_client import Caller, served
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.session import MOMENT, session_with
from wisp_tui.audit import read_events
from wisp_tui.config import Settings
from wisp_tui.facts import PersonAct, Via
from wisp_tui.keeping import PermanentFacts
from wisp_tui.mcp.paging import BYTES, NoSuchPage, page_of, text_page
from wisp_tui.models import ThinkingOut
from wisp_tui.pending import FactRequest
from wisp_tui.text.json import load_object


def shape(fields: object) -> dict[str, Any]:
    return cast("dict[str, Any]", fields)


async def about(caller: Caller, uri: str) -> tuple[str, dict[str, Any]]:
    """Read a resource that is no JSON: its text, and which page it is."""
    (item,) = (await caller.client.read_resource(uri)).contents
    assert isinstance(item, types.TextResourceContents)
    return item.text, shape(item.meta)


async def task_of(caller: Caller, thread: str) -> dict[str, Any]:
    """Return the task of a thread, as its facts have it."""
    facts = shape(await caller.shape(f"wisp://threads/{thread}/facts"))["facts"]
    (task,) = [fact for fact in facts if fact["subject"] == "task"]
    return task


async def test_everything_of_a_thread_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "big").write_text("".join(f"line {number}\n" for number in range(5000)))
    model = ScriptedModel(
        [
            [ThinkingOut("Hm."), *calls(("run_command", {"command": "cat big"}))],
            says("It is long."),
            says("Again."),
        ]
    )
    session = session_with(tmp_path, model)
    async with served(session) as caller:
        answer = await caller.respond("how long is it?", thread_id="t", task="measure")
        await caller.respond("and now?", thread_id="t")
        thread = "wisp://threads/t"
        (row,) = shape(await caller.shape("wisp://threads"))["threads"]
        assert {name: row[name] for name in ("thread_id", "model", "turns", "state", "uri")} == {
            "thread_id": "t",
            "model": "fake:scripted",
            "turns": 2,
            "state": "open",
            "uri": thread,
        }
        whole = shape(await caller.shape(thread))
        assert (whole["window"], whole["context"]) == (8192, f"{thread}/context")

        contexts = shape(await caller.shape(f"{thread}/context"))
        assert [(turn["turn"], turn["prompt"]) for turn in contexts["turns"]] == [
            (1, "how long is it?"),
            (2, "and now?"),
        ]
        assert "referenced 1" in contexts["turns"][1]["changed"]
        assert contexts["next_request"]["uri"] == f"{thread}/context/next"
        text, page = await about(caller, contexts["turns"][1]["uri"])
        assert text.startswith("# Turn 2\n")
        assert page == {"page": 1, "pages": 1, "total": len(text.encode())}
        assert "It is long." in (await about(caller, f"{thread}/context/next"))[0]

        uri = answer.content["calls"][0]["outputURI"]
        pages = [await about(caller, uri)]
        while following := pages[-1][1].get("next"):
            pages.append(await about(caller, following))
        joined = "".join(text for text, _ in pages)
        assert joined == (tmp_path / "work" / "big").read_text()
        assert len(pages) == pages[0][1]["pages"] == -(-len(joined) // BYTES)
        (output,) = shape(await caller.shape(f"{thread}/output"))["outputs"]
        assert (output["uri"], output["kept"], output["turn"]) == (uri, True, 1)
        assert (await about(caller, f"{thread}/output/{output['call']}"))[0] == pages[0][0]

        facts = shape(await caller.shape(f"{thread}/facts"))
        (task,) = [fact for fact in facts["facts"] if fact["subject"] == "task"]
        assert (task["value"], task["source"], task["class"]) == ("measure", "caller", "dynamic")
        one = shape(await caller.shape(task["uri"]))
        assert (one["fact"], one["history"], one["request"]) == (task, [task], None)
        await caller.respond("x", thread_id="t", task="measure again")
        assert [fact["value"] for fact in shape(await caller.shape(f"{thread}/facts"))["facts"]].count("measure") == 0
        history = shape(await caller.shape(f"{thread}/facts?all=true"))["facts"]
        (old,) = [fact for fact in history if fact["value"] == "measure"]
        assert (old["state"], old["supersededBy"] is not None) == ("superseded", True)

        assert shape(await caller.shape(f"{thread}/summary")) == {"thread_id": "t", "versions": 0, "summary": None}
        assert shape(await caller.shape(f"{thread}/summary?all=true"))["summaries"] == []
        (thought,) = shape(await caller.shape(f"{thread}/reasoning"))["reasoning"]
        assert (thought["turn"], thought["text"]) == (1, "Hm.")
        lines = (await about(caller, f"{thread}/audit"))[0].splitlines()
        own = [event.id for event in read_events(session.home.logs)]
        assert [load_object(line)["id"] for line in lines] == own[: len(lines)]
        audit = f"wisp://audit/{shape(load_object(lines[0]))['session']}"
        assert (await about(caller, audit))[0].splitlines() == lines

        await caller.call("close_thread", thread_id="t")
        assert shape(await caller.shape(thread))["state"] == "closed"
        assert (await about(caller, f"{thread}/audit"))[0].splitlines()[:5] == lines[:5]
        with pytest.raises(MCPError, match="the thread t was closed"):
            await caller.read(f"{thread}/context")


async def test_what_is_the_programs_can_be_read(tmp_path: Path) -> None:
    settings = Settings.model_validate({"openai": {"key": "very secret"}, "mcp": {"maxThreads": 3}})
    async with served(session_with(tmp_path, ScriptedModel([says("Hello.")]), settings=settings)) as caller:
        config = await caller.read("wisp://config")
        assert "very secret" not in config
        assert shape(load_object(config))["settings"]["mcp.maxThreads"] == 3
        status = shape(await caller.shape("wisp://status"))
        assert (status["threads"]["most"], status["waiting"]) == (3, 0)
        assert "run_command" in [tool["name"] for tool in shape(await caller.shape("wisp://tools"))["tools"]]
        assert (await caller.read("wisp://tools.md")).startswith("# Tools\n")
        approvals = shape(await caller.shape("wisp://approvals"))
        assert (approvals["approvals"], approvals["waiting"]) == ([], [])
        for empty in ("facts", "facts/proposed", "session/facts"):
            found = shape(await caller.shape(f"wisp://{empty}"))
            assert (found["facts"], found["page"], found["pages"], found["total"], found["next"]) == ([], 1, 1, 0, None)
        names = [resource.uri for resource in (await caller.client.list_resources()).resources]
        assert len(names) == 10
        templates = (await caller.client.list_resource_templates()).resource_templates
        assert "wisp://threads/{thread_id}/output/{id}{?page}" in [template.uri_template for template in templates]
        for name in names:
            assert (await caller.client.read_resource(name)).contents


async def test_the_list_of_resources_goes_on_from_page_to_page(tmp_path: Path) -> None:
    async with served(session_with(tmp_path, ScriptedModel([says("Hello.")]))) as caller:
        for number in range(6):
            await caller.respond("x", thread_id=f"t{number}")
        first = await caller.client.list_resources()
        second = await caller.client.list_resources(cursor=first.next_cursor)
        assert (len(first.resources), len(second.resources), second.next_cursor) == (50, 2, None)
        client = caller.client
        for listed in (client.list_resources, client.list_resource_templates, client.list_tools):
            with pytest.raises(MCPError, match="is no cursor of this list"):
                await listed(cursor="x")


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("http://threads", "it does not begin with wisp://"),
        ("wisp://threads/..%2F..%2Fetc/facts", "a part of its path holds an encoded slash"),
        ("wisp://threads/%5C/facts", "a part of its path holds an encoded slash"),
        ("wisp://threads//facts", "a part of its path is empty"),
        ("wisp://", "a part of its path is empty"),
        ("wisp://threads/../config", "a part of its path is dots alone"),
        ("wisp://threads/%2e%2e/facts", "a part of its path is dots alone"),
        ("wisp://threads/a%00b/facts", "a part of its path holds a control character"),
        ("wisp://threads/%1B%5B2J", "a part of its path holds a control character"),
        ("wisp://threads/%FF", "what it encodes is not UTF-8"),
        ("wisp://threads/%zz", "it has a % that encodes nothing"),
        ("wisp://threads/a%252Fb", "is no thread's name"),
        ("wisp://threads#x", "it has a fragment"),
        ("wisp://threads?page=0", "'page' is asked wrongly"),
        ("wisp://threads?page=one", "'page' is asked wrongly"),
        ("wisp://threads?x=1", "'x' is asked wrongly"),
        ("wisp://threads?page=2", "there is no page 2: the last is 1"),
        ("wisp://nothing", "names nothing; there are: wisp://config"),
        ("wisp://threads/nobody", "there is no thread nobody"),
        ("wisp://threads/t/nothing", "names nothing; there are: wisp://threads/t/context"),
        ("wisp://threads/t/context/9", "composed no context for turn 9"),
        ("wisp://threads/t/context/x", "'x' is no turn"),
        ("wisp://threads/t/facts/c99", "has no fact 'c99'"),
        ("wisp://threads/t/output/feedbeef", "has no output 'feedbeef'"),
        ("wisp://facts/p1", "there is no permanent fact 'p1'"),
        ("wisp://audit/unknown", "the audit log has no session 'unknown'"),
    ],
)
async def test_what_is_no_resource_is_a_protocol_error_that_names_the_fault(
    tmp_path: Path, uri: str, said: str
) -> None:
    async with served(session_with(tmp_path, ScriptedModel([says("Hello.")]))) as caller:
        await caller.respond("x", thread_id="t")
        with pytest.raises(MCPError) as fault:
            await caller.read(uri)
        assert said in fault.value.message
        assert fault.value.code == types.INVALID_PARAMS
        assert fault.value.message.isprintable()


async def test_a_fact_is_moved_and_the_person_asked_to_keep_one(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    async with served(session) as caller:
        await caller.respond("x", thread_id="git", task="the harbour")
        (task,) = [
            fact for fact in shape(await caller.shape("wisp://threads/git/facts"))["facts"] if fact["subject"] == "task"
        ]

        async def move(ident: str, scope: str) -> tuple[str, dict[str, Any], bool]:
            answer = await caller.call("set_fact_scope", thread_id="git", fact_id=ident, scope=scope)
            return answer.text, shape(answer.content), answer.failed

        said, content, _ = await move(task["id"], "session")
        assert said == f"moved {task['id']} to session as s1"
        assert (content["fact"]["scope"], content["from"]) == ("session", task["id"])
        assert [fact["id"] for fact in shape(await caller.shape("wisp://session/facts"))["facts"]] == ["s1"]
        for ident, scope, why in (
            ("s1", "session", "s1 is session already"),
            (task["id"], "thread", "holds no longer"),
            ("p1", "thread", "p1 is a permanent fact: only the person moves it"),
            ("c99", "session", "there is no fact 'c99' that this thread sees"),
            ("c99", "permanent", "there is no fact 'c99' that this thread sees"),
        ):
            assert why in (await move(ident, scope))[0]
        said, content, _ = await move("s1", "permanent")
        assert (content["state"], content["uri"]) == ("pending", "wisp://threads/git/facts/s1")
        assert said.endswith(f"wisp facts keep {content['request']}")
        assert (await move("s1", "permanent"))[1]["request"] == content["request"]
        (row,) = shape(await caller.shape("wisp://facts/proposed"))["facts"]
        assert (row["thread_id"], row["id"], row["request"]["state"]) == ("git", "s1", "pending")
        assert (await caller.respond("x", thread_id="git")).content["factsProposed"] == {
            "count": 1,
            "thread": 1,
            "uri": "wisp://facts/proposed",
        }
        request = shape(await caller.shape(content["uri"]))["request"]
        assert {name: request[name] for name in ("id", "state", "kept", "via")} == {
            "id": content["request"],
            "state": "pending",
            "kept": None,
            "via": None,
        }
        waiting = session.waiting.store.request(content["request"])
        assert isinstance(waiting, FactRequest)
        session.waiting.store.drop(PersonAct(Via.CLI), waiting, MOMENT)
        assert shape(await caller.shape(content["uri"]))["request"]["state"] == "dropped"
        dropped, _, failed = await move("s1", "permanent")
        assert failed
        assert dropped.startswith("the person dropped this fact at 2026-03-01 14:05:12")
        assert session.facts.store.load() == PermanentFacts(session.home).load()
        assert not session.facts.store.path.exists()  # nothing that came over the protocol was kept


async def test_a_fact_that_the_person_keeps_is_every_threads(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    async with served(session) as caller:
        await caller.respond("x", thread_id="t", task="one")
        task = await task_of(caller, "t")
        asked = await caller.call("set_fact_scope", thread_id="t", fact_id=task["id"], scope="permanent")
        request = session.waiting.request(asked.content["request"])
        assert isinstance(request, FactRequest)
        await session.waiting.keep(PersonAct(Via.TUI), request, session.threads[0].conversation)
        one = shape(await caller.shape(task["uri"]))
        assert {name: one["request"][name] for name in ("state", "kept", "via")} == {
            "state": "kept",
            "kept": "p1",
            "via": "tui",
        }
        assert (one["fact"]["state"], one["fact"]["supersededBy"]) == ("superseded", "p1")
        (kept,) = shape(await caller.shape("wisp://facts"))["facts"]
        assert (kept["value"], kept["uri"], kept["approved"]) == ("one", "wisp://facts/p1", True)
        assert shape(await caller.shape("wisp://facts/p1"))["fact"] == kept
        assert (await caller.call("set_fact_scope", thread_id="t", fact_id="p1", scope="thread")).failed


async def test_a_request_whose_fact_says_something_else_has_failed(tmp_path: Path) -> None:
    session = session_with(tmp_path, ScriptedModel([says("Hello.")]))
    async with served(session) as caller:
        await caller.respond("x", thread_id="t", task="one")
        task = await task_of(caller, "t")
        keep = {"thread_id": "t", "fact_id": task["id"], "scope": "permanent"}
        await caller.call("set_fact_scope", **keep)
        await caller.respond("x", thread_id="t", task="two")
        request = shape(await caller.shape(task["uri"]))["request"]
        assert (request["state"], request["reason"]) == ("failed", f"{task['id']} says something else now")
        assert "holds no longer" in (await caller.call("set_fact_scope", **keep)).text


def test_pages_are_fifty_rows_or_sixteen_kibibytes_and_joined_they_are_the_whole() -> None:
    rows = ["x" * 10] * 120
    assert [len(page_of(rows, number, len).rows) for number in (1, 2, 3)] == [50, 50, 20]
    large = page_of(["x" * BYTES * 2, "y"], 1, len)
    assert (large.rows, large.pages, large.next) == (("x" * BYTES * 2,), 2, 2)
    with pytest.raises(NoSuchPage):
        page_of(rows, 4, len)
    text = "first\n" + "ä" * BYTES + "\n\nlast"
    lines = text.split("\n")
    pages = [text_page(lines, number) for number in range(1, text_page(lines, 1).pages + 1)]
    assert "".join(piece for page in pages for piece in page.rows) == text
    assert all(len("".join(page.rows).encode()) <= BYTES for page in pages)
    assert text_page([], 1).rows == ()
