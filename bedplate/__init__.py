"""Bedplate: the base under model training and inference on AWS, and the proof that it carries the load."""

__version__ = "0.1.0"
