"""One module of the house each, in the mirrored folder."""
