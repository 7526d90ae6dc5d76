"""Who may ask what of a served page. Holds no page and no evidence."""
