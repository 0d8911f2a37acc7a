"""The record of a conversation and the context composed from it for each request. Pure: no I/O, no clock, no model.

Imports ``models`` (the shapes of a request) and ``text``; values go in, values come out. Effects are ``session``'s.
"""
