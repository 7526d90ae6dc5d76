"""Shipped data: catalogs, built-in cohorts and JSON Schemas. No code."""
