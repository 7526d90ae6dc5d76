"""Which columns of the record tables hold a hidden label of the suite: in no view, on no page, in no export."""

HIDDEN_LABELS = frozenset({"should_block", "preferred_arm_id"})
DERIVED_LABELS = frozenset({"expected_arm_id"})
"""Derived from the run's own matrix, where the suite brings no label: private views show it, exports and pages of cases do not."""
