"""Tests of the runs stage."""
