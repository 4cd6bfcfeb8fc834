"""The values of each chart, as data: one file a chart."""
