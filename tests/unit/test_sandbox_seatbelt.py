"""The macOS sandbox: the text of its profile."""

from __future__ import annotations

from pathlib import Path

from wisp_tui.sandbox import Reach, Seatbelt
from wisp_tui.sandbox.seatbelt import profile

REACH = Reach(
    writable=(Path("/Users/eve/harbour"), Path("/private/tmp")),
    protected=(Path("/Users/eve/.wisp"),),
    hidden=(Path("/var/run/docker.sock"),),
)
PROFILE = """\
(version 1)
(allow default)
(deny file-write*)
(allow file-write*
  (subpath "/Users/eve/harbour")
  (subpath "/private/tmp")
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/stdout")
  (literal "/dev/stderr")
  (literal "/dev/dtracehelper")
  (regex #"^/dev/fd/"))
(deny appleevent-send)
(deny lsopen)
(deny file-write*
  (subpath "/Users/eve/.wisp"))
(deny file-read* file-write* network-outbound
  (subpath "/var/run/docker.sock"))
"""


def test_the_profile_allows_reading_and_lets_write_only_where_the_reach_says() -> None:
    assert profile(REACH) == PROFILE


def test_without_the_network_the_last_rule_denies_it() -> None:
    assert profile(Reach((), network=False)).endswith("(deny network*)\n")
    assert "network" not in profile(Reach(()))


def test_no_path_ends_its_own_quotes() -> None:
    text = profile(Reach((Path('/a"b\\c) (allow file-write*)'),)))
    assert '(subpath "/a\\"b\\\\c) (allow file-write*)")' in text


def test_what_is_protected_and_hidden_is_denied_after_what_is_allowed() -> None:
    """The last rule that fits holds."""
    text = profile(REACH)
    assert text.index("(allow file-write*") < text.index('(subpath "/Users/eve/.wisp")')
    assert text.index("(allow file-write*") < text.index('(subpath "/var/run/docker.sock")')


def test_no_directory_that_leads_to_what_is_protected_is_moved_away() -> None:
    """The directories between are held; what is in them, and the writable one itself, are as they were."""
    text = profile(Reach((Path("/Users/eve"),), protected=(Path("/Users/eve/a/b/.wisp"),)))
    held = '(deny file-write-unlink\n  (literal "/Users/eve/a")\n  (literal "/Users/eve/a/b"))\n'
    assert text.index("(allow file-write*") < text.index(held)


def test_a_command_is_wrapped_with_the_profile_and_without_what_leads_out() -> None:
    wrapped = Seatbelt().wrap(("/bin/bash", "-c", "ls"), Path("/Users/eve"), {"PATH": "/bin", "TMUX": "x"}, REACH)
    assert wrapped.argv == ("/usr/bin/sandbox-exec", "-p", PROFILE, "/bin/bash", "-c", "ls")
    assert wrapped.environment == {"PATH": "/bin"}
