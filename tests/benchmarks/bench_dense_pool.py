"""`make bench` entry of dense_pool."""

from tests.benchmarks.dense_pool import main


def bench_dense_pool() -> None:
    main([])
