"""Tests of the execution stage."""
