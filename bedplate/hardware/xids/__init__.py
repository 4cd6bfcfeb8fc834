"""NVIDIA's Xid errors: what NVIDIA says of each, and, apart from it, what we and EC2 do about it."""
