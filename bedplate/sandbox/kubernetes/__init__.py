"""A played Kubernetes API server: SIMULATED, in this process, for the official client over loopback HTTP."""
