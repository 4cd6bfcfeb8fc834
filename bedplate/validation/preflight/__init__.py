"""Questions before anything is bought: quotas, capacity, zones, addresses, roles."""
