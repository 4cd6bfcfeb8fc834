"""Questions asked before and after a deploy, and the answers in one result."""
