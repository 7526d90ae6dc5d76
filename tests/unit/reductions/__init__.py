"""Unit tests of evaluation_assets.reductions."""
