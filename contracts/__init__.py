"""WHAT things are: frozen documents, Arrow table schemas, ids, canonical bytes, errors and settings. Never imports dagster or duckdb."""
