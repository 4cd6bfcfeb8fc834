"""Series that are made of others, so that pages and alerts of a large fleet need not read them all."""
