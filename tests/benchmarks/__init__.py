"""Timings, printed as ratios within one run; never assertions."""
