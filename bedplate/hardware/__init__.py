"""What AWS sells, and what NVIDIA's error codes mean: data with sources, and the arithmetic on it. Standard library only."""
