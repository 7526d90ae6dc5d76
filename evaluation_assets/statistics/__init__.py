"""Pure numerics: arrays and counts in, numbers out. No clock, no randomness, no table, no document."""
