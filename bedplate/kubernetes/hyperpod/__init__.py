"""The cluster of SageMaker HyperPod under an EKS control plane, and what stands on it."""
