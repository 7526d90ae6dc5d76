"""From sealed records to metrics: one module per track, costs and coverage; registry.py says which track is reduced by what."""
