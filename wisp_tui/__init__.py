"""wisp-tui: a person talks to a local model in the terminal, and sees and steers what the model sees.

The layers, lowest last: ``entry`` · ``app``, ``cli``, ``mcp`` (faces) · ``session`` · ``tools`` · ``context``,
``facts``, ``outputs``, ``approval``, ``pending`` (the core) · ``models`` · ``audit``, ``events`` · ``config``,
``text``. Imports go down only.
"""

__version__ = "0.1.0"
