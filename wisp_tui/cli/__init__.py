"""The command line: ``wisp`` and its commands, ``wisp chat --json`` among them (docs/cli.md, docs/chat-json.md).

A face: imports ``session`` and what lies below it, never the app, which ``entry`` hands in. Nothing imports it but
``entry``. Each command is a module that is loaded when it is called.
"""
