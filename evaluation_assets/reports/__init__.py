"""What a run says about itself: the report page with its pictures, and the findings that its numbers suggest."""
