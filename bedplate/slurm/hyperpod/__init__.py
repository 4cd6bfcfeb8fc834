"""The cluster of SageMaker HyperPod with Slurm, made of the environment's own terms."""
