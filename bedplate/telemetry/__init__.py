"""Metrics, rules and alerts as plain data. No CDK, no boto3."""
