"""What the facts panel shows, as lines and rows: the facts by kind, the summary's versions, what waits for the person.

Values in, values out, without Textual; ``wisp_tui.app.widgets.factspanel`` draws them. It may import the view models
of ``session`` and ``facts``, and the app's own rows and lines.
"""
