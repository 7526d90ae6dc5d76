"""Tests of the records stage."""
