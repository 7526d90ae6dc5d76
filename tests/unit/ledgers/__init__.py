"""Tests of ledgers/: hostile files, failing disks, killed processes, power cuts and altered audit logs."""
