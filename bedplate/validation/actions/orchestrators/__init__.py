"""The same actions in the words of other orchestrators: documents and API calls, as pure functions.

Nothing here is sent: the transports to Kubernetes and HyperPod are not built yet. What can be tried without
them is: each call against botocore's model of the service, each label against Kubernetes' own rules.
"""
