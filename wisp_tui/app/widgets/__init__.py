"""The widgets of the app. Each draws values it is given and says what the person did; none reaches into a session."""
