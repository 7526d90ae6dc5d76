"""Tests. unit: one module each; properties: random input; vectors: public corpora; graph, e2e, benchmarks: the whole."""
