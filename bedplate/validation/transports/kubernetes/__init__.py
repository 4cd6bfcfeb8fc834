"""Ask nodes of a Kubernetes cluster through its API server."""
