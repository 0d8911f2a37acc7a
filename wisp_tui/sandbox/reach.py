"""What a conversation's commands may reach: its directory, temporary and cache directories, what the settings add."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from wisp_tui.config.cache import cache_folder
from wisp_tui.config.settings import SandboxSettings
from wisp_tui.sandbox.base import Reach

_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp")  # these are the directories meant
_CACHES = (
    ".cache",
    "Library/Caches",
    ".npm",
    ".cargo/registry",
    ".cargo/git",
    ".rustup/downloads",
    "go/pkg/mod",
    ".gradle/caches",
    ".m2/repository",
    ".nuget/packages",
    ".pnpm-store",
    ".bun/install/cache",
)
"""Below the home: what programs only keep so as not to fetch or make it again."""
_STARTED = (
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".inputrc",
    ".gitconfig",
    ".ssh",
    ".gnupg",
    ".aws",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".vimrc",
    ".config",
    ".local",
    "bin",
    "Library/LaunchAgents",
    "Library/Keychains",
    "Library/Preferences",
)
"""Below the home: what starts programs or lets people in, kept from commands that may write the home itself."""
_STARTERS = (
    ".git/hooks",
    ".git/config.worktree",
    ".githooks",
    ".husky",
    ".envrc",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".mcp.json",
    ".claude",
    ".cursor",
)
"""Below the directory: what git, an editor or a shell runs for the person, outside of any walls."""
_NAMED_SOCKETS = (
    "TMUX",
    "NVIM",
    "KITTY_LISTEN_ON",
    "WEZTERM_UNIX_SOCKET",
    "VSCODE_IPC_HOOK_CLI",
    "DBUS_SESSION_BUS_ADDRESS",
    "DOCKER_HOST",
)
"""Variables that name the socket of a program that acts for whoever asks it to."""
_SOCKET_NAMED = re.compile(r"(?:unix:(?:path=|//)?)?(/[^,;]+)")
_SOCKETS = (
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/podman/podman.sock",
    "/run/crio/crio.sock",
    "/run/snapd.socket",
    "/run/libvirt",
)

_TERMINALS = (
    "/tmp/tmux-{user}",
    "/tmp/screens/S-{login}",
    "/run/screen/S-{login}",
    "/tmp/zellij-{user}",
    "/tmp/emacs{user}",
    "/tmp/nvim.{login}",
)
"""Through which a terminal or an editor of the person's is typed into."""
_HOME_SOCKETS = (".screen", ".docker/run", ".docker/desktop", ".colima", ".orbstack/run", ".rd", ".lima")
"""Below the home: those of terminals and container runtimes."""
_ROOT_SOCKETS = ("/run/systemd/private", "/run/dbus/system_bus_socket")
"""Through which root, and only root, starts programs unasked."""


def reach_of(directory: Path, settings: SandboxSettings, own: Path, environment: Mapping[str, str]) -> Reach:
    """Gather what commands may reach that start in ``directory``.

    ``own``, this program's home, they never write, nor its folder among the caches: the index over all conversations.
    Of what is in the home they never see the tokens that let clients in. Paths that are not there are left out: what
    does not exist cannot be let through a wall.
    """
    home = Path(environment.get("HOME") or Path.home())
    temporary = (environment.get("TMPDIR", ""), tempfile.gettempdir(), *_TEMPORARY)
    caches = (environment.get("XDG_CACHE_HOME", ""), *(str(home / name) for name in _CACHES))
    added = tuple(str(_expanded(path, home, directory)) for path in settings.writable_paths)
    start, real_home = Path(os.path.realpath(directory)), Path(os.path.realpath(home))
    writable = _there((str(directory), *temporary, *caches, *added))
    user = os.getuid()
    login = environment.get("USER") or str(user)
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    sockets = (*_SOCKETS, *(_ROOT_SOCKETS if user == 0 else ()))
    hidden = (*sockets, runtime, f"/run/user/{user}", str(own / "mcp"))
    named = (_SOCKET_NAMED.match(environment.get(name, "")) for name in _NAMED_SOCKETS)
    hidden += (*(found[1] for found in named if found), *(path.format(user=user, login=login) for path in _TERMINALS))
    hidden += tuple(str(home / name) for name in _HOME_SOCKETS)
    let = set(_there(added))
    holds_home = start == real_home or start in real_home.parents
    started = (str(home / name) for name in _STARTED) if holds_home else ()
    return Reach(
        writable=writable,
        protected=_there((str(own), str(cache_folder()), *started)),
        hidden=tuple(path for path in _there(hidden) if path not in writable),
        network=settings.network,
        starters=tuple(path for path in _there(str(start / name) for name in _STARTERS) if path not in let),
        git_settings=tuple(path for path in _there((str(start / ".git" / "config"),)) if path not in let),
        wide=f"{start} holds your whole home: commands may write nearly all of it" if holds_home else None,
    )


def _expanded(path: str, home: Path, directory: Path) -> Path:
    return home / path[2:] if path.startswith("~/") else directory / path


def _there(paths: Iterable[str]) -> tuple[Path, ...]:
    """The real paths of those that are there, as far as one may look, each once."""
    found = (os.path.realpath(path) for path in paths if path)
    return tuple(dict.fromkeys(Path(path) for path in found if os.access(path, os.F_OK)))
