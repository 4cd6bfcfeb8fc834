"""What a node tells of itself as text files that node_exporter serves, one file a collector."""
