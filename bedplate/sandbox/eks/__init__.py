"""EKS clusters of the sandbox: what they hold, and what their Kubernetes API would be told."""
