"""Prometheus remote write, version 1, signed for Amazon Managed Prometheus: a run's few series, once."""
