"""The gate on Kubernetes: the start-up taint comes off a node that offers exactly its devices, passed its own
checks, and ran a pair with a node that is known to be good.

Who is paired with whom, who is let in and who is blamed is decided by ``bedplate.node.gate.keeper``, as on
Slurm. Here is what it looks at (``view``), what it does (``hands``), and what comes before both (``offers``).
"""
