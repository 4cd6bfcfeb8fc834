"""What a simulated fleet's exporters tell, from the sandbox's own faults. All of it is SIMULATED."""
