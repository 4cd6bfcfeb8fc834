"""From a tool's text to a frozen record, one file a tool; text that cannot be read raises ``ParseError``.

Every text is untrusted: whatever bytes a node sends give a record or a ``ParseError``, never another
exception.
"""
