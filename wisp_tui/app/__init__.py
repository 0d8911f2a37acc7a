"""The full-screen app: what a person sees of a conversation, and the keys that act on it.

Only this package imports Textual, and only ``wisp_tui.app.main`` is imported from outside it, when the app is started.
It draws what ``session`` and the bus give it and computes nothing about the conversation itself.
"""
