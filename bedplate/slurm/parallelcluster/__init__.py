"""The cluster configuration of AWS ParallelCluster 3.16, made of the environment's own terms."""
