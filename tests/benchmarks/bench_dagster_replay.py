"""`make bench` entry of dagster_replay."""

from tests.benchmarks.dagster_replay import main


def bench_dagster_replay() -> None:
    main()
