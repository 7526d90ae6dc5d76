"""Tests of the gates stage."""
