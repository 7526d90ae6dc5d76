"""Tests of evaluation_assets/suites and of the suite store."""
