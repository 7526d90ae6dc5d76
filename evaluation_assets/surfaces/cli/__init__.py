"""The command `evalplane`: one module a noun. Nothing is decided here; a command asks the library and says what it answered."""
