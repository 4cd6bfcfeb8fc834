"""Which versions of the software of a node go together: tables with sources, and the comparison of versions.

What no source settles has no row here: a pair without a row is neither well nor at fault.
"""
