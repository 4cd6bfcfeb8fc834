"""What the node program and the documents of a Kubernetes cluster say to each other."""
