"""Cases by family of alerts."""
