"""Tests of the installed product, end to end."""
