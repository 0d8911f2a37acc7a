"""Texts of every class that conversations carry, made up here from a seed: what estimates are measured on."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random

_NAMES = ("harbour", "beacon", "lantern", "quay", "tide", "anchor", "compass", "ferry", "mooring", "signal")
_ENGLISH = (
    "The night ferry leaves the northern quay a little before ten, and by midnight its lights are gone from the bay.",
    "Nobody had written down why the old pump was switched off in March, so they opened its housing and looked.",
    "A good checklist is short, names who does what, and says plainly when the work may be called finished.",
    "She counted the crates twice, found one more than the manifest listed, and walked back along the pier.",
    "If the copy fails half way, the tool keeps what it has, says how far it came, and can go on from there.",
    "Rain was forecast for the afternoon; the harbour office moved the meeting indoors and put the kettle on.",
)
_CHINESE = (
    "夜班渡轮在十点前离开北码头，午夜时分灯光已经消失在海湾里。",
    "没有人记下旧水泵为什么在三月停用，于是他们打开外壳看了看。",
    "一份好的清单应当简短，写明谁做什么，并说清楚工作何时算完成。",
    "她把箱子数了两遍，发现比清单上多出一个，便沿着栈桥往回走。",
    "如果复制到一半失败，工具会保留已有的部分，并说明进度。",
)
_JAPANESE = (
    "夜のフェリーは十時少し前に北の岸壁を離れ、真夜中には灯りが湾から見えなくなる。",
    "古いポンプが三月に止められた理由は誰も書き残していなかったので、カバーを開けて確かめた。",
    "よいチェックリストは短く、誰が何をするかを示し、いつ終わりにしてよいかをはっきり書く。",
    "彼女は木箱を二度数え、目録より一つ多いことに気づき、桟橋を歩いて戻った。",
    "コピーが途中で失敗しても、ツールはできたところまでを残し、そこから続けられる。",
)
_KOREAN = (
    "밤 배는 열 시 조금 전에 북쪽 부두를 떠나고, 자정이면 불빛이 만에서 사라진다.",
    "낡은 펌프를 삼월에 왜 껐는지 아무도 적어 두지 않아서 덮개를 열고 살펴보았다.",
    "좋은 점검표는 짧고, 누가 무엇을 하는지 적혀 있으며, 언제 끝나는지 분명히 말한다.",
    "그녀는 상자를 두 번 세어 보고 목록보다 하나가 더 많다는 것을 알고 부두를 따라 돌아갔다.",
    "복사가 중간에 실패해도 도구는 그때까지의 내용을 남기고 이어서 할 수 있다.",
)
_RUSSIAN = (
    "Ночной паром отходит от северного причала незадолго до десяти, и к полуночи его огни исчезают в заливе.",
    "Никто не записал, почему старый насос выключили в марте, поэтому кожух открыли и посмотрели.",
    "Хороший список дел короток, называет, кто что делает, и ясно говорит, когда работу можно считать законченной.",
    "Она дважды пересчитала ящики, нашла на один больше, чем в описи, и пошла обратно вдоль пирса.",
    "Если копирование прервётся на середине, программа сохранит сделанное и сможет продолжить оттуда.",
)
_EMOJI = "😀😂🚢⚓🌊🌙⭐🔧📦📋✅🚀🎉👍🙏☕🌧🗺🧭🐟🦀🔦🛠🧪"


def prose(random: Random, size: int) -> str:
    """English sentences in paragraphs."""
    return _sentences(random, size, _ENGLISH, " ")


def python(random: Random, size: int) -> str:
    """Functions in Python."""

    def one() -> str:
        name, other, number = random.choice(_NAMES), random.choice(_NAMES), random.randrange(2, 90)
        return (
            f"def count_{name}(self, {other}_list: list[int], limit: int = {number}) -> int:\n"
            f'    """Count what is below the limit."""\n'
            f"    total = 0\n    for item in {other}_list:\n        if item < limit and not self.is_closed(item):\n"
            f"            total += item * {number}\n    return total\n\n"
        )

    return _grown(one, size)


def javascript(random: Random, size: int) -> str:
    """Functions in JavaScript."""

    def one() -> str:
        name, other, number = random.choice(_NAMES), random.choice(_NAMES), random.randrange(2, 90)
        return (
            f"export async function load{name.title()}(baseUrl, {{ {other}Id, retries = {number} }} = {{}}) {{\n"
            f"  const response = await fetch(`${{baseUrl}}/{name}s/${{{other}Id}}`);\n"
            f"  if (!response.ok) {{\n    throw new Error('could not load {name}: ' + response.status);\n  }}\n"
            f"  return (await response.json()).items.filter((item) => item.{other} !== null);\n}}\n\n"
        )

    return _grown(one, size)


def c(random: Random, size: int) -> str:
    """Functions and constants in C."""

    def one() -> str:
        name, other, number = random.choice(_NAMES), random.choice(_NAMES), random.randrange(2, 4000)
        return (
            f"#define {name.upper()}_MAX_{other.upper()} {number}u\n"
            f"static int {name}_push(struct {name} *self, const uint32_t value)\n{{\n"
            f"    if (self->len >= {name.upper()}_MAX_{other.upper()})\n        return -ENOSPC;\n"
            f"    self->items[self->len++] = value & 0x{number:04x};\n    return 0;\n}}\n\n"
        )

    return _grown(one, size)


def json_text(random: Random, size: int) -> str:
    """Records in JSON, on one line."""
    rows: list[Mapping[str, object]] = []
    while len(json.dumps(rows)) < size:
        rows.append(
            {
                "id": random.randrange(10_000),
                "name": f"{random.choice(_NAMES)}-{random.choice(_NAMES)}",
                "ratio": round(random.random(), 4),
                "tags": [random.choice(_NAMES), random.choice(_NAMES)],
                "open": random.random() < 0.5,
                "updated": f"2026-{random.randrange(1, 13):02d}-{random.randrange(1, 29):02d}T10:00:00Z",
            }
        )
    return json.dumps(rows, separators=(",", ":"))


def logs(random: Random, size: int) -> str:
    """Lines of a service's log."""

    def one() -> str:
        return (
            f"2026-10-{random.randrange(1, 29):02d}T{random.randrange(24):02d}:{random.randrange(60):02d}:"
            f"{random.randrange(60):02d}.{random.randrange(1000):03d}Z INFO [{random.choice(_NAMES)}-"
            f"{random.randrange(16)}] request {random.randrange(16**8):08x} path=/v1/{random.choice(_NAMES)}/"
            f"{random.randrange(9999)} status={random.choice((200, 304, 404, 500))} took={random.randrange(4000)}ms\n"
        )

    return _grown(one, size)


def diff(random: Random, size: int) -> str:
    """A unified diff of Python."""

    def one() -> str:
        name, number = random.choice(_NAMES), random.randrange(2, 900)
        return (
            f"--- a/src/{name}/core.py\n+++ b/src/{name}/core.py\n@@ -{number},5 +{number},6 @@ class {name.title()}:\n"
            f"     def close(self) -> None:\n-        self.{name}.stop()\n+        self.{name}.stop(timeout={number})\n"
            f"+        self.log.info('closed %s', self.name)\n         self.done = True\n \n"
        )

    return _grown(one, size)


def paths(random: Random, size: int) -> str:
    """Paths, one a line."""

    def one() -> str:
        folders = "/".join(random.choice(_NAMES) for _ in range(random.randrange(2, 6)))
        return (
            f"/srv/{folders}/{random.choice(_NAMES)}_{random.randrange(100)}.{random.choice(('py', 'tar.gz', 'h'))}\n"
        )

    return _grown(one, size)


def csv(random: Random, size: int) -> str:
    """Rows of numbers."""
    return _grown(lambda: ",".join(f"{random.random() * 1000:.3f}" for _ in range(7)) + "\n", size)


def hexdump(random: Random, size: int) -> str:
    """Digests, one a line."""
    return _grown(lambda: random.randbytes(32).hex() + "\n", size)


def base64_text(random: Random, size: int) -> str:
    """Random bytes in base64, in lines."""
    return _grown(lambda: base64.b64encode(random.randbytes(57)).decode() + "\n", size)


def chinese(random: Random, size: int) -> str:
    """Chinese sentences."""
    return _sentences(random, size, _CHINESE, "")


def japanese(random: Random, size: int) -> str:
    """Japanese sentences."""
    return _sentences(random, size, _JAPANESE, "")


def korean(random: Random, size: int) -> str:
    """Korean sentences."""
    return _sentences(random, size, _KOREAN, " ")


def russian(random: Random, size: int) -> str:
    """Russian sentences."""
    return _sentences(random, size, _RUSSIAN, " ")


def emoji(random: Random, size: int) -> str:
    """Chat with emoji in it."""
    return _grown(lambda: f"{random.choice(_NAMES)} {''.join(random.choices(_EMOJI, k=3))} ", size)


CLASSES: Mapping[str, Callable[[Random, int], str]] = {
    "prose": prose,
    "python": python,
    "javascript": javascript,
    "c": c,
    "json": json_text,
    "logs": logs,
    "diff": diff,
    "paths": paths,
    "csv": csv,
    "hex": hexdump,
    "base64": base64_text,
    "chinese": chinese,
    "japanese": japanese,
    "korean": korean,
    "russian": russian,
    "emoji": emoji,
}
"""Every class by its name. A function takes a source of chance and about how many characters are wanted."""

SIZES = (1200, 2500, 4000)
"""The sizes, in characters, of a class's measured texts."""


def measured_texts() -> dict[str, list[str]]:
    """Return the texts that real tokenizers' counts are kept of: three of each class, always the same."""
    return {
        name: [make(Random(f"{name} {place}"), size) for place, size in enumerate(SIZES)]
        for name, make in CLASSES.items()
    }


def _grown(one: Callable[[], str], size: int) -> str:
    parts: list[str] = []
    length = 0
    while length < size:
        parts.append(one())
        length += len(parts[-1])
    return "".join(parts)


def _sentences(random: Random, size: int, of: Sequence[str], joint: str) -> str:
    return _grown(lambda: random.choice(of) + random.choice((joint, joint, "\n\n")), size)
