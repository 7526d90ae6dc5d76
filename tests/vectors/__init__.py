"""Public conformance corpora, read where they lie; every difference is on a list with its reason."""
