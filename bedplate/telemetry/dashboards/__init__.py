"""Dashboards of Grafana, as data made in Python."""
