"""Who decided what, in an order that nobody can change unseen: an append-only, hash-chained log."""
