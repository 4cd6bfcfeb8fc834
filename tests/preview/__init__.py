"""Draws the dashboards from the answers of a live Prometheus, to be looked at."""
