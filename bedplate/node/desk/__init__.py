"""The desk: a node that no command can be sent to looks in the result bucket for questions.

``desk --bucket B`` (``command``) is a service of the controller or login node. What lies where is ``keys``.
"""
