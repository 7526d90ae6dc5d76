"""What must hold for any input, tried by hypothesis."""
