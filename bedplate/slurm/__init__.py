"""The documents a Slurm cluster is made of, as plain data. No CDK, no boto3."""
