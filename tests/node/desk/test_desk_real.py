"""The desk as a node runs it: a process of its own, AWS's command line, and S3 played by moto."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from bedplate.node.bootstrap.places import PROGRAM
from bedplate.node.desk import keys
from bedplate.node.desk.bucket import AwsBucket, BucketError
from bedplate.node.run_jobs import Job, encode_jobs
from bedplate.node.zipapp import build_node_zipapp
from bedplate.validation.aws import AwsClients
from bedplate.validation.transports.desk import DeskLimits, DeskTransport
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply

pytestmark = [pytest.mark.real("aws"), pytest.mark.slow]
ME = "i-0123456789abcdef0"
BUCKET, REGION = "desk-results", "us-west-2"
KEYS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}


@pytest.fixture(scope="module")
def service() -> Iterator[dict[str, str]]:
    """The variables by which programs reach the bucket."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    surroundings = {**KEYS, "AWS_ENDPOINT_URL": f"http://localhost:{port}", "AWS_DEFAULT_REGION": REGION}
    client = boto3.client(
        "s3",
        endpoint_url=surroundings["AWS_ENDPOINT_URL"],
        region_name=REGION,
        aws_access_key_id="testing",
        aws_secret_access_key="testing",
    )
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    yield surroundings
    server.stop()


@pytest.fixture(autouse=True)
def surroundings(service: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of this process, for the transport and for what it starts."""
    for name, value in service.items():
        monkeypatch.setenv(name, value)


class Node:
    """A node's tree with the program, and clients of Slurm that hang."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        build_node_zipapp(output=folder / PROGRAM.lstrip("/"))
        place = folder / "var/lib/cloud/data/instance-id"
        place.parent.mkdir(parents=True)
        place.write_text(ME)
        self.tool("sinfo", "echo slurm 25.05.1")
        self.tool("scontrol", "echo NodeName=gpu-1 State=IDLE")
        self.tool("scancel", f'echo "$@" >> {folder}/scancel.log')
        self.tool(
            "srun", f"echo $$ > {folder}/srun.new; mv {folder}/srun.new {folder}/srun.pid; exec sleep 300"
        )
        self.process: subprocess.Popen[bytes] | None = None

    def tool(self, name: str, line: str) -> None:
        """A program of the node."""
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def start(self) -> None:
        """Start the desk, and wait for its sign of life."""
        environment = {
            **os.environ,
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "BEDPLATE_ROOT": str(self.folder),
        }
        argv = [sys.executable, f"{self.folder}{PROGRAM}", "desk", "--bucket", BUCKET]
        began = time.time()
        with (self.folder / "said").open("ab") as said:
            self.process = subprocess.Popen(argv, env=environment, stderr=said)
        objects = boto3.client("s3", region_name=REGION)

        def lives() -> bool:
            with contextlib.suppress(objects.exceptions.ClientError):
                head = objects.head_object(Bucket=BUCKET, Key=keys.alive_key(ME))
                return head["LastModified"].timestamp() >= int(began)
            return False

        assert within(60, lives), self.said()

    def end(self, number: int = signal.SIGTERM) -> int:
        """Signal it, and wait."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(timeout=90)

    def srun(self) -> int:
        """The id of the srun that runs, once it does."""
        pid = self.folder / "srun.pid"
        assert within(60, pid.exists), self.said()
        return int(pid.read_text())

    def said(self) -> str:
        """What the desk said."""
        return (self.folder / "said").read_text()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """One whose desk ends with the test."""
    made = Node(tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.end(signal.SIGKILL)


def within(seconds: float, true: Callable[[], bool]) -> bool:
    """Whether it comes true in time."""
    until = time.monotonic() + seconds
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def gone(pid: int) -> bool:
    """Whether the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def transport() -> DeskTransport:
    """The controller's side."""
    return DeskTransport(AwsClients(region=REGION), BUCKET, limits=DeskLimits(look=5.0))


JOBS = Question(
    "run-jobs",
    ("--jobs", encode_jobs([Job("7", "question", ("gpu-1",), 250.0, arguments=("probe",))])),
    deadline_seconds=280,
)


class Asked(threading.Thread):
    """The jobs asked for by another thread."""

    def __init__(self) -> None:
        super().__init__()
        self.reply: Reply | None = None
        self.start()

    def run(self) -> None:
        """Ask."""
        self.reply = transport().ask(instance_ids=[ME], question=JOBS)[ME]


def test_a_question_is_answered_by_the_bucket_and_the_desk_ends_when_it_is_told_to(node: Node) -> None:
    """From a put object to an opened envelope, with the real command line."""
    node.start()
    question = Question("scheduler", ("--slurm", "25.05"), deadline_seconds=60)
    assert transport().online([ME, "i-0aaaaaaaaaaaaaaaa"]) == {ME}
    reply = transport().ask(instance_ids=[ME], question=question)[ME]
    assert reply.answer is not None, (reply.problem, node.said())
    assert "NodeName=gpu-1" in reply.answer.body["tools"][0]["stdout"]
    assert reply.location == f"s3://{BUCKET}/{keys.answer_key(ME, reply.answer.nonce)}"
    assert node.end() == 0


def test_with_the_desk_end_its_programs_and_their_jobs(node: Node) -> None:
    """SIGTERM, as systemd sends it: srun is ended, Slurm is told, and so is whoever waits."""
    node.start()
    asked = Asked()
    srun = node.srun()
    assert node.end() == 0
    assert gone(srun)
    assert (node.folder / "scancel.log").read_text().startswith("--name=bedplate-")
    asked.join(60)
    assert asked.reply is not None
    assert asked.reply.answer is None
    assert "told to end" in asked.reply.problem


def test_after_a_desk_that_was_killed_the_next_one_tells_and_begins_nothing_again(node: Node) -> None:
    """SIGKILL leaves nothing on the node either; the order is told of, and not run twice."""
    node.start()
    asked = Asked()
    srun = node.srun()
    node.end(signal.SIGKILL)
    assert within(30, lambda: gone(srun))
    (node.folder / "srun.pid").unlink()
    node.start()
    asked.join(60)
    assert asked.reply is not None
    assert "started anew while it worked on this" in asked.reply.problem
    assert not (node.folder / "srun.pid").exists()


def test_an_interruption_of_the_controller_ends_the_jobs(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    """The order is cancelled, and with it goes srun."""
    node.start()
    asking = transport()

    def interrupted(_seconds: float) -> None:
        if (node.folder / "srun.pid").exists():
            raise KeyboardInterrupt
        time.sleep(0.1)

    monkeypatch.setattr(asking, "sleep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        asking.ask(instance_ids=[ME], question=JOBS)
    assert within(60, lambda: gone(node.srun())), node.said()
    assert within(60, (node.folder / "scancel.log").exists), node.said()


def test_two_desks_of_one_node_would_share_their_orders(node: Node) -> None:
    """The second ends with 1 and says why."""
    node.start()
    first = node.process
    environment = {**os.environ, "BEDPLATE_ROOT": str(node.folder)}
    argv = [sys.executable, f"{node.folder}{PROGRAM}", "desk", "--bucket", BUCKET]
    second = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert second.returncode == 1
    assert "another desk holds" in second.stderr
    assert first is not None
    assert first.poll() is None


def test_the_bucket_by_the_command_line() -> None:
    """Put, list from a place on, read, remove; what is not there, and what is refused."""
    bucket = AwsBucket(BUCKET)
    assert bucket.listed(prefix="try/") == []
    for name in ("answers/x.txt", "asked/y.json", "cancelled/z"):
        bucket.write(f"try/{name}", "täxt")
    found = bucket.listed(prefix="try/", after="try/asked/")
    assert [(one.key, one.size_bytes) for one in found] == [("try/asked/y.json", 5), ("try/cancelled/z", 5)]
    assert abs(found[0].modified_at.timestamp() - time.time()) < 30
    assert bucket.read("try/asked/y.json") == "täxt".encode()
    assert bucket.read("try/asked/none.json") is None
    bucket.remove("try/asked/y.json")
    bucket.remove("try/asked/y.json")
    assert bucket.read("try/asked/y.json") is None
    for call in (
        lambda: AwsBucket("no-such-bucket").listed(prefix="x"),
        lambda: AwsBucket("no-such-bucket").write("x", "x"),
    ):
        with pytest.raises(BucketError, match=r"NoSuchBucket|does not exist"):
            call()
