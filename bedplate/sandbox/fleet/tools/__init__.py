"""Stand-ins for the programs of a GPU node: one tool a file, standard library only, started by
``main.py``.
"""
