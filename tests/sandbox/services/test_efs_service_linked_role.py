"""The service-linked roles that an account has from before."""

from __future__ import annotations

from tests.sandbox.stand_in import StandIn


def test_roles_have_the_names_that_aws_gives_them(stand_in: StandIn) -> None:
    """FSx and EFS act by roles that preflight looks for by name."""
    iam = stand_in.client("iam")
    for name in ("AWSServiceRoleForAmazonFSx", "AWSServiceRoleForAmazonElasticFileSystem"):
        assert iam.get_role(RoleName=name)["Role"]["Path"].startswith("/aws-service-role/")
