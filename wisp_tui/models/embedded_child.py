"""The program of the embedded runtime's child process: serves one GGUF file on loopback until its standard input ends.

It is started as a file, not as a module, and imports nothing of ours: no directory the person works in can put a module
in its place, and it starts faster. Arguments: the file, the window in tokens, the threads. The key that its server
demands is in the environment, where no listing of processes shows it. It writes one line of JSON to standard output:
its address, or why there is none. Whatever native code prints goes to standard error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

KEY_VARIABLE = "WISP_EMBEDDED_KEY"
NO_LIBRARY = 3
NOT_LOADED = 4

_SETTINGS: Mapping[str, object] = {
    "hostnames": ["127.0.0.1"],
    "port": 0,
    "cors_origins": "http://none.invalid",  # by default any page in a browser may ask
    "cors_credentials": False,
    "ui": False,
    "endpoint_slots": False,
    "ctx_shift": False,  # on, it drops half the context, the instructions first, without a word
    "n_parallel": 1,  # a second slot halves the window
    "n_batch": 256,  # tokens of a prompt between two looks at whether its request was left
    "n_ubatch": 256,
    "n_cache_reuse": 64,  # tokens in a row that are kept when what stood before them has gone
    "cache_ram_mib": 256,
    "verbosity": 1,  # errors only: they say why a file cannot be loaded
}

_SAMPLING: Mapping[str, object] = {
    "penalty_repeat": 1.1,  # small models go round in circles until the window is full; this lets them stop
    "penalty_last_n": 256,  # tokens: longer than such a circle
}


def main(arguments: list[str]) -> int:
    """Serve until standard input ends; answer the exit status: 0, ``NO_LIBRARY`` or ``NOT_LOADED``."""
    answer = os.dup(1)
    os.dup2(2, 1)
    try:
        library = importlib.import_module("xllamacpp")
    except ImportError as error:
        return _say(answer, {"error": str(error)}, NO_LIBRARY)
    try:
        server = _serve(library, arguments[0], int(arguments[1]), int(arguments[2]))
    except RuntimeError as error:
        return _say(answer, {"error": str(error)}, NOT_LOADED)
    _say(answer, {"address": str(server.listening_address)}, 0)
    while os.read(0, 4096):
        pass
    return 0


def _serve(library: ModuleType, path: str, window: int, threads: int) -> Any:
    """Start the server; it runs in threads of its own. Raises RuntimeError when the file cannot be loaded."""
    parameters = library.CommonParams()
    for name, value in _SETTINGS.items():
        setattr(parameters, name, value)
    for name, value in _SAMPLING.items():
        setattr(parameters.sampling, name, value)
    parameters.api_keys = [os.environ.pop(KEY_VARIABLE)]
    parameters.model.path = path
    parameters.n_ctx = window
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    return library.Server(parameters)


def _say(answer: int, line: dict[str, str], status: int) -> int:
    os.write(answer, json.dumps(line).encode() + b"\n")
    return status


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))  # at once: the library's own end waits for the request it is working on
