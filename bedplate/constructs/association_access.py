"""Who may put files into the buckets that folders are tied to, and look for what comes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aws_cdk import Stack
from constructs import Construct

from bedplate.constructs.l1 import aws_iam as iam
from bedplate.constructs.partition import partition_of
from bedplate.spec.association_rights import grouped

OWN_FOLDER = ".bedplate-validation"
"""Below a data repository's prefix: validation writes there (``bedplate.node.association``)."""


@dataclass(frozen=True, kw_only=True)
class TiedFolder:
    """One data repository: bucket (which may be a token) and prefix, empty or ending in a slash."""

    bucket: str
    prefix: str


class AssociationAccess(Construct):
    """Managed policies to write, read and remove objects in validation's own folder of each data repository,
    in every version, and to list that folder; nothing else in the buckets.

    They are attached to nobody. A bucket that is encrypted with a key of the customer's own also needs that
    key's policy to let the caller use it, which nobody but the key's owner can give.
    """

    def __init__(self, scope: Construct, id: str, *, folders: Sequence[TiedFolder]) -> None:  # noqa: A002
        super().__init__(scope, id)
        if not folders:
            raise ValueError("folders is empty: there is nothing to give access to")
        partition = partition_of(Stack.of(self))
        self.object_arns: tuple[str, ...] = tuple(_objects(partition, each) for each in folders)
        """What may be written: cdk-nag asks for a reason for each, since they end in a star."""
        policies = [
            iam.CfnManagedPolicy(
                self,
                f"Policy{number}",
                description="Bedplate: send a file both ways between tied folders and their buckets",
                policy_document=_document(partition, [folders[place] for place in places]),
            )
            for number, places in enumerate(grouped([each.prefix for each in folders]), start=1)
        ]
        self.policy_arns: tuple[str, ...] = tuple(policy.ref for policy in policies)
        """ARNs of the policies: one, or more where the folders do not fit into one."""


def _document(partition: str, folders: Sequence[TiedFolder]) -> dict[str, object]:
    return {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "SendFiles",
                "Effect": "Allow",
                "Action": ["s3:DeleteObject", "s3:DeleteObjectVersion", "s3:GetObject", "s3:PutObject"],
                "Resource": [_objects(partition, each) for each in folders],
            },
            *(
                {
                    "Sid": f"LookForFiles{number}",
                    "Effect": "Allow",
                    "Action": ["s3:ListBucket", "s3:ListBucketVersions"],
                    "Resource": f"arn:{partition}:s3:::{each.bucket}",
                    "Condition": {"StringLike": {"s3:prefix": f"{each.prefix}{OWN_FOLDER}/*"}},
                }
                for number, each in enumerate(folders, start=1)
            ),
        ],
    }


def _objects(partition: str, folder: TiedFolder) -> str:
    return f"arn:{partition}:s3:::{folder.bucket}/{folder.prefix}{OWN_FOLDER}/*"
