"""Execution: a frozen plan in, one observation per planned cell out, ungraded."""
