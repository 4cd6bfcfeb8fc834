"""What an operator does once in a new account beside the CDK's bootstrap; preflight's PRE-005 asks for it."""

from __future__ import annotations

from collections.abc import Mapping

SERVICES = ("pcs.amazonaws.com", "fsx.amazonaws.com")


def create_service_linked_roles(variables: Mapping[str, str]) -> None:
    """Create the service-linked roles of PCS and FSx in the account that the variables point to."""
    import boto3

    session = boto3.Session(
        aws_access_key_id=variables["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=variables["AWS_SECRET_ACCESS_KEY"],
        aws_session_token=variables["AWS_SESSION_TOKEN"],
        region_name=variables["AWS_REGION"],
    )
    iam = session.client("iam", endpoint_url=variables["AWS_ENDPOINT_URL"])
    for service in SERVICES:
        iam.create_service_linked_role(AWSServiceName=service)
