"""Bus bandwidth of NCCL collectives: what was published, what is asked, what is possible."""
