"""Tests of the asset graph: pinned, lawful, and the same run whoever starts it."""
