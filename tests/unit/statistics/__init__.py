"""Unit tests of evaluation_assets.statistics."""
