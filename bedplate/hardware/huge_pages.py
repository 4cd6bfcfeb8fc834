"""The huge pages that an EFA node sets aside for libfabric's EFA provider."""

from __future__ import annotations

EFA_HUGE_PAGES = 5128
"""Of ``EFA_HUGE_PAGE_KIB`` each: what AWS sets aside on EFA nodes (EKS User Guide, "node-efa")."""
EFA_HUGE_PAGE_KIB = 2048
LARGEST_HUGE_PAGE_KIB = 16384
"""Where the default huge page is larger, as on arm64 kernels with pages of 64 KiB, EFA's own set-up reserves
none (awslabs/libfabric-ci-scripts, pull request 158).
"""
SOURCE = 'EKS User Guide, "node-efa"; awslabs/libfabric-ci-scripts: efa-check.sh, pull request 158'
