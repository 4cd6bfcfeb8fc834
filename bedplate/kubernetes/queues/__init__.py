"""Kueue's documents (v1beta2): who may have how many nodes, and how near to each other they are."""

from bedplate.kubernetes.queues.documents import queue_documents

__all__ = ["queue_documents"]
