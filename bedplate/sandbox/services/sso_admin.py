"""IAM Identity Center, as far as whether it is there.

The switch ``identity_center`` says so: ``organization`` (as if nothing were said), or ``none``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bedplate.sandbox.options import SandboxOptions
from bedplate.sandbox.services.service import Call, Service


def sso_admin_service(options: SandboxOptions) -> Service:
    """The table of operations."""

    def instances(call: Call) -> Mapping[str, Any]:
        if not has_identity_center(options):
            return {"Instances": []}
        return {
            "Instances": [
                {
                    "InstanceArn": "arn:aws:sso:::instance/ssoins-0123456789abcdef",
                    "IdentityStoreId": "d-0123456789",
                    "OwnerAccountId": call.account,
                    "Name": "played",
                    "Status": "ACTIVE",
                }
            ]
        }

    return Service("sso-admin", {"ListInstances": instances}, signing_name="sso")


def has_identity_center(options: SandboxOptions) -> bool:
    """Whether the account has an instance."""
    return bool(options.section("identity_center", "organization") != "none")
