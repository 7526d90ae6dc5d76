"""How a frozen cohort comes into the store, what is checked on the way, and how a run chooses its cases."""
