"""AWS APIs that moto lacks, or that the sandbox must answer differently; one service a file."""
