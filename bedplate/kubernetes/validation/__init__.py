"""What validation puts into a Kubernetes cluster, as documents: no call is made here."""
