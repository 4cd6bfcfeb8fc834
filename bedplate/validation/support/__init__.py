"""What a support case needs of one node, in one archive, without secrets."""
