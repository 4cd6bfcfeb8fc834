"""Every metric that is collected, once: exporters, rules and dashboards are made of it."""
