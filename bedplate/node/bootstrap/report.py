"""The report of a boot goes to the result bucket, so that it outlives the node."""

from __future__ import annotations

import json
from typing import Tuple

from bedplate.node.bootstrap.attempts import SHORT_PAUSES, retry
from bedplate.node.bootstrap.host import Host
from bedplate.node.bootstrap.places import HOME
from bedplate.node.bootstrap.record import BootRecord

FILE = f"{HOME}/boot-report.json"
PREFIX = "bootstrap"
"""First part of every report's key; the nodes' role may put objects below it and nothing else."""


def put_report(host: Host, record: BootRecord, *, bucket: str) -> Tuple[str, str]:
    """Put the record and the end of the log; returns the key, or an empty one and why not. Never raises."""
    if not record.instance_id or not record.boot_id:
        return "", "the node does not know its instance id or its boot"
    key = f"{PREFIX}/{record.instance_id}/{record.boot_id}.json"
    body = {"record": json.loads(record.to_json()), "log": host.log.tail}
    try:
        host.write(FILE, json.dumps(body, indent=1) + "\n")
    except OSError as error:
        return "", f"{FILE} cannot be written: {error.strerror}"
    source, target = str(host.path(FILE)), f"s3://{bucket}/{key}"
    ran = retry(
        host,
        lambda: host.run("aws", "s3", "cp", "--only-show-errors", source, target, seconds=60),
        pauses=SHORT_PAUSES,
    )
    return (key, "") if ran.ok else ("", ran.last_words)
