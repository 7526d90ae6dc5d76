"""How a native export becomes a suite: `interface`, one module per benchmark, and the readers of files that they share."""
