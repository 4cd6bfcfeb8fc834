"""``aws s3 cp [--only-show-errors] FROM TO``, one of them ``s3://BUCKET/KEY``, served by the sandbox."""

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
    if len(places) != 2 or places[0].startswith("s3://") == places[1].startswith("s3://"):
        raise ToolRefused("usage: the simulated aws s3 cp copies between s3:// and a file", _USAGE_ERROR)
    down = places[0].startswith("s3://")
    bucket, _, key = places[0 if down else 1].removeprefix("s3://").partition("/")
    if down:
        Path(places[1]).write_bytes(ask_s3("GET", bucket, key))
    else:
        ask_s3("PUT", bucket, key, _read(places[0]))
    if not quiet:
        say(f"{'download' if down else 'upload'}: {places[0]} to {places[1]}")
    return 0


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        raise ToolRefused(f"The user-provided path {path} does not exist.", 255) from None


def ask_s3(method: str, bucket: str, key: str, sent: bytes | None = None) -> bytes:
    """One request to the sandbox's S3. Raises ``ToolRefused`` in the words of the AWS CLI."""
    base = urlsplit(os.environ.get("BEDPLATE_SANDBOX_S3", ""))
    if not base.hostname:
        raise ToolRefused("fatal error: Could not connect to the endpoint URL", 1)
    connection = http.client.HTTPConnection(base.hostname, base.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request(method, f"{base.path}/{bucket}/{quote(key)}", body=sent)
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
    if answer.status == 403:
        raise ToolRefused(
            "upload failed: An error occurred (AccessDenied) when calling the PutObject operation:"
            " Access Denied",
            1,
        )
    if answer.status != 200:
        raise ToolRefused(
            f"fatal error: An error occurred ({answer.status}): {body.decode(errors='replace')}", 1
        )
    return body
