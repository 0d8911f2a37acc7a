"""Stand-ins that several suites share."""
