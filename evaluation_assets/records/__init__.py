"""Records: observations are checked, aligned with the plan and graded with the hidden labels."""
