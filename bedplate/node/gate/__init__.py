"""The second half of the gate: a node that has booted takes no job until a pair with another one went well.

The first half, ``bedplate.node.bootstrap.gate``, holds slurmd back until the bootstrap is done. From then on
the node holds itself by a reservation of Slurm (``hold``), its prolog refuses what slips in, and the
gatekeeper (``keeper``) pairs it with another node, judges the pair, and lets it in: by a mark that lasts as
long as the boot (``mark``).
"""
