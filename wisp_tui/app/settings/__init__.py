"""What the form of the settings shows and does, as lines and rows: the settings by part, one whole, a change of one.

Values in, values out, without Textual; ``wisp_tui.app.screens.settings`` draws them. It may import ``session``, and the
app's own rows and lines.
"""
