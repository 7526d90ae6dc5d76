"""Tests of the benchmark inventory, source verification and normalizers."""
