"""How the ARN of an IAM role is written."""

from __future__ import annotations

ROLE_ARN_PATTERN = (
    r"^arn:(aws|aws-cn|aws-us-gov):iam::[0-9]{12}:role/([A-Za-z0-9_+=,.@-]+/)*[A-Za-z0-9_+=,.@-]{1,64}$"
)
ROLE_ARN_REMEDY = "Give a role's ARN such as arn:aws:iam::123456789012:role/platform."
