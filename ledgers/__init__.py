"""WHAT is kept and what may be trusted: objects, publication, windows, audit. Never imports dagster."""
