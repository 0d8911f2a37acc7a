"""What the context panel shows, as lines of pieces: the gauge with its legend, the context, the turns, condensations.

Values in, values out, without Textual; ``wisp_tui.app.widgets`` draws them. It may import the view models of
``session`` and ``context``, and the app's own rows and gauge.
"""
