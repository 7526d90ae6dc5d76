"""HOW one kind of evidence becomes the next: one package per stage, in the order that data flows."""
