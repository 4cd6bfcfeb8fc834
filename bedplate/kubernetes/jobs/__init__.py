"""Jobs as documents: one function for each kind, from a pool and what is asked to what kubectl applies."""
