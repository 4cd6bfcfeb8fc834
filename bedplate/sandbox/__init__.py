"""A local AWS stand-in and a simulated fleet; all that comes from it is marked SIMULATED."""
