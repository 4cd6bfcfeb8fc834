"""Workspaces of Amazon Managed Grafana: what AWS knows of them, and Grafana's own HTTP API."""
