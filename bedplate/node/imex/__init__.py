"""IMEX around jobs on the nodes of an UltraServer: a domain of the job's nodes, which the prolog of each
makes and the epilog takes away.

All nodes of the job are in its list, as AWS's PCS guide has it, also where the job spans UltraServers: IMEX
refuses peers whose lists differ, and the job's nodes are the one thing that all its prologs are told alike.
Which UltraServer a peer is in is known to the peer's own GPUs and to a topology that PCS goes on changing:
two prologs might read it differently. Between UltraServers the domain joins nothing; NCCL uses EFA there.

Sources: PCS User Guide, "Configure UltraServer instances"; NVIDIA IMEX guide. Nothing of it was run on an
UltraServer by this project.
"""
