"""The evidence index: sealed runs and installed suites as Parquet and DuckDB views. Derived and disposable; the store is the authority."""
