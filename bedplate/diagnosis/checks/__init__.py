"""One file per question, each with its verdict rule."""
