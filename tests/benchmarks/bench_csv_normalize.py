"""`make bench` entry of csv_normalize."""

from tests.benchmarks.csv_normalize import main


def bench_csv_normalize() -> None:
    main()
