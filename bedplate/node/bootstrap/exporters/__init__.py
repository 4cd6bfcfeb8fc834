"""The programs that collect a node's metrics and send them: which, by what units, with what configuration."""
