"""AWS ParallelCluster's own word on a cluster configuration (``accept``)."""
