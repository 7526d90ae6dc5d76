"""Runs: a request is admitted and frozen into a manifest, whose plan lists every cell to observe."""
