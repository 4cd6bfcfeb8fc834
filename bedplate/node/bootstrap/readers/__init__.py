"""From what the node's tools print to values; text in, values out."""
