"""The saved conversations of a home as the person looks through them: listed, looked into, searched, renamed, deleted.

Each module answers one question about files that may be large, damaged, or of a later version, and reads no more of
them than its answer takes. They import nothing of a running conversation but its record's words; ``session.saving``,
which writes and reads a conversation whole, builds on ``files`` and ``heads``.
"""
