"""The documents that a Kubernetes cluster is made of: charts and values, queues, job templates."""
