"""The only places that talk to people: the command line, the pages, and the Dagster UI behind its guard."""
