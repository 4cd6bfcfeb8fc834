"""Plan, run and localise collective tests over many nodes."""
