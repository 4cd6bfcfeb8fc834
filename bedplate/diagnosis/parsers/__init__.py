"""From the text of one tool to typed records; pure functions, one file per tool."""
