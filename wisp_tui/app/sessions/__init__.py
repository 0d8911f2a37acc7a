"""What the browser of saved conversations shows, as lines and rows: the list, what was found, the end of one.

Values in, values out, without Textual; ``wisp_tui.app.screens.sessions`` draws them. It may import the view models of
``session``, and the app's own rows and lines.
"""
