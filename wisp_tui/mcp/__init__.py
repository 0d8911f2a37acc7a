"""The MCP face: the conversations of one process for other programs, over pipes or HTTP (docs/mcp.md).

The only package that imports the MCP SDK; nothing imports it but ``entry``, when ``wisp mcp`` is run. It computes
nothing itself: threads are conversations of a ``Session``, and what it answers is what ``session`` and the core say.
"""
