"""What people are told of, as data: one file a family, and the catalogue of them all."""
