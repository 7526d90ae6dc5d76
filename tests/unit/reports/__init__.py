"""Tests of the report page, its pictures and the findings."""
