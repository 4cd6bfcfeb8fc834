"""``aws s3 cp [--only-show-errors] s3://BUCKET/KEY FILE``, served by the sandbox that booted the node."""

from __future__ import annotations

import http.client
import os
from pathlib import Path
from urllib.parse import quote, urlsplit

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_USAGE_ERROR = 252
_TIMEOUT_SECONDS = 60


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool, node
    if arguments[:2] != ["s3", "cp"]:
        raise ToolRefused(
            f"aws: error: argument command: Invalid choice: {' '.join(arguments[:2])}", _USAGE_ERROR
        )
    quiet, places = False, []
    words = arguments[2:]
    while words:
        word = words.pop(0)
        if word in ("--only-show-errors", "--quiet", "--no-progress"):
            quiet = True
        elif word == "--region" and words:
            words.pop(0)
        elif word.startswith("-"):
            raise ToolRefused(f"Unknown options: {word}", _USAGE_ERROR)
        else:
            places.append(word)
    if len(places) != 2 or not places[0].startswith("s3://") or places[1].startswith("s3://"):
        raise ToolRefused("usage: the simulated aws s3 cp copies from s3:// to a file", _USAGE_ERROR)
    bucket, _, key = places[0].removeprefix("s3://").partition("/")
    Path(places[1]).write_bytes(_fetch(bucket, key))
    if not quiet:
        say(f"download: {places[0]} to {places[1]}")
    return 0


def _fetch(bucket: str, key: str) -> bytes:
    base = urlsplit(os.environ.get("BEDPLATE_SANDBOX_S3", ""))
    if not base.hostname:
        raise ToolRefused("fatal error: Could not connect to the endpoint URL", 1)
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request("GET", f"{base.path}/{bucket}/{quote(key)}")
        answer = connection.getresponse()
        body = answer.read()
    except OSError as error:
        raise ToolRefused(f"fatal error: Could not connect to the endpoint URL: {error}", 1) from error
    finally:
        connection.close()
    if answer.status == 404:
        raise ToolRefused(
            "fatal error: An error occurred (404) when calling the HeadObject operation: "
            f'Key "{key}" does not exist',
            1,
        )
    if answer.status != 200:
        raise ToolRefused(
            f"fatal error: An error occurred ({answer.status}): {body.decode(errors='replace')}", 1
        )
    return body
