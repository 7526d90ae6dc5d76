"""Research benchmarks: where they are pinned, whether a checkout is that pin, and how a native export becomes a suite."""
