"""Tests of what talks to people: the guard, the served pages, the command line."""
