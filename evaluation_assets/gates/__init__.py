"""Gates: sealed evidence of one run in, ten verdicts out."""
