"""The same actions in the words of other orchestrators: Kubernetes' nodes behind the code that plans, does
and undoes, and API calls as pure functions, each held against botocore's model of its service.

Kubernetes' part needs a client (``kubernetes_api``), which no command hands it yet.
"""
