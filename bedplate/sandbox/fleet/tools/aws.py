"""``aws s3 cp``, ``aws s3 rm`` and ``aws s3api list-objects-v2``, served by the sandbox.

``cp`` copies between ``s3://BUCKET/KEY`` and a file, or to ``-``, standard output. A listing is printed as
the program of ours asks for it: rows of key, size and time.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from bedplate.sandbox.fleet.tools.output import say
from bedplate.sandbox.fleet.tools.refusal import ToolRefused
from bedplate.sandbox.fleet.truth import NodeTruth

_USAGE_ERROR = 252
_TIMEOUT_SECONDS = 60


_LISTING = ("--query", "Contents[].[Key,Size,LastModified]", "--output", "json")


def main(tool: str, arguments: list[str], node: NodeTruth) -> int:
    """Play the tool."""
    del tool, node
    if arguments[:2] == ["s3", "cp"]:
        return _copy(arguments[2:])
    if arguments[:2] == ["s3", "rm"]:
        return _remove(arguments[2:])
    if arguments[:2] == ["s3api", "list-objects-v2"]:
        return _list(arguments[2:])
    raise ToolRefused(
        f"aws: error: argument command: Invalid choice: {' '.join(arguments[:2])}", _USAGE_ERROR
    )


def _copy(words: list[str]) -> int:
    quiet, places = _places(words)
    if len(places) != 2 or places[0].startswith("s3://") == places[1].startswith("s3://"):
        raise ToolRefused("usage: the simulated aws s3 cp copies between s3:// and a file", _USAGE_ERROR)
    down = places[0].startswith("s3://")
    bucket, _, key = places[0 if down else 1].removeprefix("s3://").partition("/")
    if down and places[1] == "-":
        sys.stdout.buffer.write(ask_s3("GET", bucket, key))
        return 0
    if down:
        Path(places[1]).write_bytes(ask_s3("GET", bucket, key))
    else:
        ask_s3("PUT", bucket, key, _read(places[0]))
    if not quiet:
        say(f"{'download' if down else 'upload'}: {places[0]} to {places[1]}")
    return 0


def _remove(words: list[str]) -> int:
    quiet, places = _places(words)
    if len(places) != 1 or not places[0].startswith("s3://"):
        raise ToolRefused("usage: the simulated aws s3 rm removes one s3://BUCKET/KEY", _USAGE_ERROR)
    bucket, _, key = places[0].removeprefix("s3://").partition("/")
    ask_s3("DELETE", bucket, key)
    if not quiet:
        say(f"delete: {places[0]}")
    return 0


def _list(words: list[str]) -> int:
    options = dict(zip(words[::2], words[1::2], strict=False))
    asked = tuple(word for name in ("--query", "--output") for word in (name, options.pop(name, "")))
    if asked != _LISTING or not set(options) <= {"--bucket", "--prefix", "--start-after"}:
        raise ToolRefused(f"the simulated aws lists no objects by {' '.join(words)}", _USAGE_ERROR)
    query = urlencode({"after": options.get("--start-after", "")})
    found = json.loads(
        ask_s3("GET", options["--bucket"], options.get("--prefix", ""), base="_LIST", query=f"?{query}")
    )
    rows = [[each["key"], each["size_bytes"], each["modified"]] for each in found]
    say(json.dumps(rows or None))
    return 0


def _places(words: list[str]) -> tuple[bool, list[str]]:
    """Whether to say nothing, and what is named."""
    quiet, places, left = False, [], list(words)
    while left:
        word = left.pop(0)
        if word in ("--only-show-errors", "--quiet", "--no-progress"):
            quiet = True
        elif word == "--region" and left:
            left.pop(0)
        elif word.startswith("-") and word != "-":
            raise ToolRefused(f"Unknown options: {word}", _USAGE_ERROR)
        else:
            places.append(word)
    return quiet, places


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        raise ToolRefused(f"The user-provided path {path} does not exist.", 255) from None


def ask_s3(
    method: str, bucket: str, key: str, sent: bytes | None = None, *, base: str = "", query: str = ""
) -> bytes:
    """One request to the sandbox's S3. Raises ``ToolRefused`` in the words of the AWS CLI."""
    place = urlsplit(os.environ.get(f"BEDPLATE_SANDBOX_S3{base}", ""))
    if not place.hostname:
        raise ToolRefused("fatal error: Could not connect to the endpoint URL", 1)
    connection = http.client.HTTPConnection(place.hostname, place.port, timeout=_TIMEOUT_SECONDS)
    try:
        connection.request(method, f"{place.path}/{bucket}/{quote(key)}{query}", body=sent)
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
