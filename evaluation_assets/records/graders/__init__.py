"""Graders: one module each; registry.py lists them."""
