"""What this cluster reached when it was accepted: made by an operator, kept in the result bucket."""
