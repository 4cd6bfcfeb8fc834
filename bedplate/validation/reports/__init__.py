"""One result, written as terminal table, JSON, JUnit XML and HTML."""
