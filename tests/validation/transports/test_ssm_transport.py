"""Tests of asking nodes through SSM: what is no answer never becomes one."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from bedplate.errors import AwsRefused
from bedplate.node.envelope import seal
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.reply import Reply
from bedplate.validation.transports.ssm import SsmTransport


def node(number: int) -> str:
    """An instance id."""
    return f"i-{number:017x}"


class FakeSsm:
    """SSM at the edge of boto3: ``behave`` maps an instance to how it answers."""

    def __init__(self, store: dict[str, bytes], behave: dict[str, str]) -> None:
        self.store, self.behave = store, behave
        self.sent: list[dict] = []
        self.cancelled: list[str] = []
        self.dies = False
        self.last: dict[str, str] = {}

    def get_paginator(self, operation: str):
        """The two paginated operations that the transport uses."""
        return SimpleNamespace(paginate=getattr(self, operation))

    def describe_instance_information(self, Filters):  # noqa: N803
        """All are online but those that behave as offline."""
        rows = [
            {
                "InstanceId": one,
                "PingStatus": "ConnectionLost" if self.behave.get(one) == "offline" else "Online",
            }
            for one in Filters[0]["Values"]
            if self.behave.get(one) != "unknown"
        ]
        return [{"InstanceInformationList": rows}]

    def send_command(self, **request):
        """Record the request, and let the nodes answer at once."""
        command_id = f"command-{len(self.sent)}"
        self.sent.append(request)
        words = request["Parameters"]["Arguments"][0].split()
        for one in request["InstanceIds"]:
            self._answer(one, command_id, request, words[0], words[2])
        return {"Command": {"CommandId": command_id}}

    def _answer(self, one: str, command_id: str, request: dict, command: str, nonce: str) -> None:
        how = self.behave.get(one, "well")
        text = seal(body={"simulated": False, "x": "y" * 50}, instance_id=one, nonce=nonce, command=command)
        stale = seal(body={}, instance_id=one, nonce="an-earlier-nonce", command=command)
        foreign = seal(body={}, instance_id=node(999), nonce=nonce, command=command)
        printed = {
            "empty": "",
            "cut": text[: len(text) // 2],
            "foreign": foreign,
            "stale": stale,
            "traceback": "Traceback (most recent call last):\n",
            "failed": text,
        }.get(how, text)
        if how not in ("missing", "undeliverable", "never"):
            key = f"{request['OutputS3KeyPrefix']}/{command_id}/{one}/awsrunShellScript/bedplateNode/stdout"
            self.store[key] = printed.encode()

    def list_command_invocations(self, CommandId, Details):  # noqa: N803
        """One row an instance, ended unless it never ends."""
        assert Details
        if self.dies:
            raise EndpointConnectionError(endpoint_url="http://localhost:1")
        rows = []
        for one in self.sent[int(CommandId.split("-")[1])]["InstanceIds"]:
            how = self.behave.get(one, "well")
            status, details = {
                "undeliverable": ("Failed", "Undeliverable"),
                "never": ("InProgress", "InProgress"),
                "failed": ("Failed", "Failed"),
                "traceback": ("Failed", "Failed"),
            }.get(how, ("Success", "Success"))
            output = "python3: cannot open the file" if how == "traceback" else ""
            rows.append(
                {
                    "CommandId": CommandId,
                    "InstanceId": one,
                    "Status": status,
                    "StatusDetails": details,
                    "CommandPlugins": [{"Output": output}],
                }
            )
        return [{"CommandInvocations": rows}]

    def cancel_command(self, CommandId):  # noqa: N803
        """Record it."""
        self.cancelled.append(CommandId)


class FakeS3:
    """S3 at the edge of boto3."""

    def __init__(self, store: dict[str, bytes]) -> None:
        self.store = store

    def get_object(self, Bucket, Key):  # noqa: N803
        """The object, or NoSuchKey."""
        if Key not in self.store:
            raise ClientError({"Error": {"Code": "NoSuchKey", "Message": "no"}}, "GetObject")
        return {"Body": io.BytesIO(self.store[Key])}


class Clock:
    """Time that passes only in sleep."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        """Now."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


def transport_with(**behave: str) -> tuple[SsmTransport, FakeSsm]:
    """A transport over fakes; ``behave`` by the node's number, such as ``n3="cut"``."""
    store: dict[str, bytes] = {}
    ssm = FakeSsm(store, {node(int(name[1:])): how for name, how in behave.items()})
    clients = SimpleNamespace(ssm=ssm, ssm_once=ssm, s3=FakeS3(store))
    clock = Clock()
    transport = SsmTransport(clients, "doc", "bucket", "run-1", sleep=clock.sleep, clock=clock)
    return transport, ssm


def ask_one(how: str) -> Reply:
    """What becomes of one node that behaves so."""
    transport, _ = transport_with(n1=how)
    return transport.ask(instance_ids=[node(1)], question=Question("probe"))[node(1)]


def test_a_whole_answer_is_read_from_the_bucket() -> None:
    """The normal way: an answer with its location."""
    reply = ask_one("well")
    assert reply.answer is not None
    assert reply.answer.body["x"] == "y" * 50
    assert reply.location.startswith("s3://bucket/answers/run-1/command-0/")


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("empty", "empty"),
        ("cut", "breaks off"),
        ("foreign", "is of"),
        ("stale", "earlier question"),
        ("missing", "no answer of it"),
        ("failed", "did not end well"),
        ("traceback", "cannot open the file"),
    ],
)
def test_what_is_no_answer_is_a_problem_in_words(how, words) -> None:
    """Empty, cut, foreign, stale, not uploaded, failed: none is an answer, whatever SSM says."""
    reply = ask_one(how)
    assert reply.answer is None
    assert words in reply.problem
    assert not reply.unreachable


@pytest.mark.parametrize("how", ["offline", "unknown", "undeliverable"])
def test_a_node_that_no_command_reaches_is_unreachable(how) -> None:
    """An agent that is offline, not registered, or that the command is not delivered to."""
    reply = ask_one(how)
    assert reply.unreachable
    assert reply.answer is None


def test_a_node_that_never_ends_costs_the_deadline_and_is_cancelled() -> None:
    """Waiting is bounded, and the command is not left running."""
    transport, ssm = transport_with(n2="never")
    replies = transport.ask(instance_ids=[node(1), node(2)], question=Question("probe", deadline_seconds=100))
    assert replies[node(1)].answer is not None
    assert "no answer within 100 s" in replies[node(2)].problem
    assert ssm.cancelled == ["command-0"]


def test_many_nodes_are_asked_in_calls_of_fifty_and_all_are_told() -> None:
    """SendCommand takes 50 ids; every node has its reply, in the order of the question."""
    transport, ssm = transport_with(n7="cut")
    ids = [node(number) for number in range(1, 121)]
    seen: list[str] = []
    replies = transport.ask(
        instance_ids=ids, question=Question("probe"), on_reply=lambda one: seen.append(one.instance_id)
    )
    assert [len(request["InstanceIds"]) for request in ssm.sent] == [50, 50, 20]
    assert list(replies) == ids
    assert sorted(seen) == sorted(ids)
    assert [one for one in ids if replies[one].answer is None] == [node(7)]


def test_one_node_that_fails_does_not_stop_the_others_from_being_asked() -> None:
    """The API's default would stop sending at the first error."""
    transport, ssm = transport_with()
    transport.ask(instance_ids=[node(1)], question=Question("probe"))
    assert ssm.sent[0]["MaxErrors"] == "100%"
    assert ssm.sent[0]["MaxConcurrency"] == "100%"


def test_each_question_has_a_nonce_of_its_own() -> None:
    """So that an earlier answer in the bucket cannot be taken for this one."""
    transport, ssm = transport_with()
    for _ in range(2):
        transport.ask(instance_ids=[node(1)], question=Question("probe"))
    nonces = {request["Parameters"]["Arguments"][0].split()[2] for request in ssm.sent}
    assert len(nonces) == 2


def test_an_endpoint_that_dies_on_the_way_is_one_clear_refusal() -> None:
    """No reply is made up: the run ends with AWS-001."""
    transport, ssm = transport_with()
    ssm.dies = True
    with pytest.raises(AwsRefused, match="cannot be reached") as caught:
        transport.ask(instance_ids=[node(1)], question=Question("probe"))
    assert caught.value.error_id == "AWS-001"


def test_an_endpoint_that_dies_leaves_no_command_running_as_far_as_it_can() -> None:
    """What was sent is cancelled; that the cancelling fails too does not hide what went wrong first."""
    transport, ssm = transport_with()
    ssm.dies = True
    with pytest.raises(AwsRefused):
        transport.ask(instance_ids=[node(1)], question=Question("run-jobs"))
    assert ssm.cancelled == ["command-0"]

    def refuse(CommandId):  # noqa: N803
        raise RuntimeError("cannot be cancelled")

    ssm.cancel_command = refuse
    with pytest.raises(AwsRefused, match="cannot be reached"):
        transport.ask(instance_ids=[node(1)], question=Question("run-jobs"))


def test_a_call_that_cannot_be_sent_cancels_those_that_were() -> None:
    """Of two calls the second is refused: the first must not run on for nobody."""
    transport, ssm = transport_with()
    send = ssm.send_command

    def second_refused(**request):
        if ssm.sent:
            raise EndpointConnectionError(endpoint_url="http://localhost:1")
        return send(**request)

    ssm.send_command = second_refused
    with pytest.raises(AwsRefused):
        transport.ask(instance_ids=[node(number) for number in range(60)], question=Question("probe"))
    assert ssm.cancelled == ["command-0"]


@pytest.mark.parametrize(
    ("how", "silent"), [("missing", True), ("empty", True), ("traceback", True), ("cut", False)]
)
def test_a_program_that_printed_no_answer_at_all_is_told_from_one_that_was_cut(how, silent) -> None:
    """A node whose program is not there yet may be asked again; a broken answer is a finding."""
    assert ask_one(how).silent is silent


def test_an_interrupt_cancels_what_was_sent() -> None:
    """Ctrl-C leaves no load behind on the nodes."""
    transport, ssm = transport_with(n1="never")

    def interrupt(_seconds: float) -> None:
        raise KeyboardInterrupt

    transport.sleep = interrupt
    with pytest.raises(KeyboardInterrupt):
        transport.ask(instance_ids=[node(1)], question=Question("probe"))
    assert ssm.cancelled == ["command-0"]


def test_no_node_is_asked_nothing() -> None:
    """An empty list of nodes makes no call that AWS would refuse."""
    transport, ssm = transport_with()
    assert transport.ask(instance_ids=[], question=Question("probe")) == {}
    assert ssm.sent == []


def test_a_reply_has_an_answer_or_a_problem() -> None:
    """Never both, never neither."""
    with pytest.raises(ValueError, match="never neither"):
        Reply("i-1")
