"""SSM at its worst: throttled, half gone, by tag, with agents that are lost and answers that outlive us."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from bedplate.errors import AwsRefused
from bedplate.validation.stores.folder import FolderStore
from bedplate.validation.transports.known_nodes import KnownNode, KnowsNodes
from bedplate.validation.transports.question import Question
from bedplate.validation.transports.sent_log import SentLog, load_sent_log
from bedplate.validation.transports.ssm import SsmTransport, groups_of
from bedplate.validation.transports.ssm_limits import Backoff, SsmLimits
from tests.validation.transports.test_ssm_transport import Clock, FakeS3, FakeSsm, node, transport_with

LASTING = Question("run-jobs", ("--jobs", "abc"), 100, usable_seconds=3600)
TAG = ("aws:pcs:compute-node-group-id", "pcs_1")


def client_error(code: str) -> ClientError:
    """What botocore raises for an error code."""
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "Operation")


def failing(call, times: int, code: str):
    """The call, refused so many times first."""
    left = [times]

    def wrapped(*args, **more):
        if left[0]:
            left[0] -= 1
            raise client_error(code)
        return call(*args, **more)

    return wrapped


class TaggedSsm(FakeSsm):
    """Takes commands by tag; ``late`` are instances for which no invocation is made."""

    def __init__(self, store, behave, members: list[str], late: tuple[str, ...] = ()) -> None:
        super().__init__(store, behave)
        self.members, self.late = members, late

    def send_command(self, **request):
        """By tag: to all members."""
        targets = request.get("Targets")
        if targets:
            assert "InstanceIds" not in request
            assert targets == [{"Key": f"tag:{TAG[0]}", "Values": [TAG[1]]}]
            request["InstanceIds"] = [one for one in self.members if one not in self.late]
        return super().send_command(**request)


def over(ssm: FakeSsm, *, limits: SsmLimits | None = None, sent_log: SentLog | None = None) -> SsmTransport:
    """A transport over a fake, in a time that passes in sleep only."""
    clients = SimpleNamespace(ssm=ssm, ssm_once=ssm, s3=FakeS3(ssm.store))
    clock = Clock()
    return SsmTransport(
        clients,  # type: ignore[arg-type]
        "doc",
        "bucket",
        "run-1",
        sleep=clock.sleep,
        clock=clock,
        limits=limits or SsmLimits(),
        sent_log=sent_log,
    )


@pytest.mark.parametrize(
    "operation", ["send_command", "list_command_invocations", "describe_instance_information"]
)
def test_what_is_throttled_is_asked_again(operation: str) -> None:
    """Beyond botocore's own attempts, with a pause that grows; the answer is as good as any."""
    transport, ssm = transport_with()
    setattr(ssm, operation, failing(getattr(ssm, operation), 5, "ThrottlingException"))
    before = transport.clock()
    reply = transport.ask(instance_ids=[node(1)], question=Question("probe"))[node(1)]
    assert reply.answer is not None
    assert transport.clock() - before > 0.5 * (0.5 + 1 + 2 + 4 + 8)


def test_a_throttled_bucket_is_asked_again() -> None:
    """Thirty-two answers at once are more than a young bucket may take."""
    transport, _ = transport_with()
    s3 = transport.clients.s3
    s3.get_object = failing(s3.get_object, 3, "SlowDown")  # type: ignore[method-assign]
    assert transport.ask(instance_ids=[node(1)], question=Question("probe"))[node(1)].answer is not None


def test_the_patience_with_throttling_has_an_end() -> None:
    """Then it is AWS's refusal; nothing is made up."""
    transport, ssm = transport_with()
    transport.limits = SsmLimits(backoff=Backoff(attempts=3))
    ssm.send_command = failing(ssm.send_command, 3, "ThrottlingException")
    with pytest.raises(AwsRefused, match="ThrottlingException"):
        transport.ask(instance_ids=[node(1)], question=Question("probe"))


def test_what_is_refused_otherwise_is_not_asked_again() -> None:
    """A denial stays a denial, at once."""
    transport, ssm = transport_with()
    ssm.send_command = failing(ssm.send_command, 1, "AccessDeniedException")
    with pytest.raises(AwsRefused, match="not allowed"):
        transport.ask(instance_ids=[node(1)], question=Question("probe"))
    assert transport.clock() == 0


def test_a_node_that_goes_away_between_two_calls_costs_the_others_nothing() -> None:
    """SSM refuses the whole call for one instance; the others are asked in smaller ones."""
    transport, ssm = transport_with()
    send = ssm.send_command

    def refuse(**request):
        if node(5) in request["InstanceIds"]:
            raise client_error("InvalidInstanceId")
        return send(**request)

    ssm.send_command = refuse
    ids = [node(number) for number in range(1, 21)]
    replies = transport.ask(instance_ids=ids, question=Question("probe"))
    assert [one for one in ids if replies[one].answer is None] == [node(5)]
    assert replies[node(5)].unreachable
    assert len(ssm.sent) <= 6


def test_a_whole_pool_is_addressed_by_its_tag_in_one_call() -> None:
    """Sixty nodes of one pool and two others: two calls."""
    members = [node(number) for number in range(1, 61)]
    ssm = TaggedSsm({}, {}, members)
    transport = over(ssm)
    transport.groups = groups_of([({TAG[0]: TAG[1]}, members)])
    ids = [*members, node(90), node(91)]
    replies = transport.ask(instance_ids=ids, question=Question("probe"))
    assert [len(request["InstanceIds"]) for request in ssm.sent] == [60, 2]
    assert list(replies) == ids
    assert all(reply.answer is not None for reply in replies.values())


def test_the_tags_of_pools_are_known_from_their_nodes() -> None:
    """As they were found: pools by the tags that select them, whatever the order of their nodes."""
    transport = over(TaggedSsm({}, {}, []))
    assert isinstance(transport, KnowsNodes)
    pools = {1: {"pool": "a"}, 2: {"pool": "b"}, 3: {"pool": "a"}, 4: {"pool": "c", "zone": "1"}}
    transport.know_nodes(
        [KnownNode(node(at), f"10.0.0.{at}", 8, selection_tags=tags) for at, tags in pools.items()]
    )
    assert transport.groups == {
        ("pool", "a"): frozenset({node(1), node(3)}),
        ("pool", "b"): frozenset({node(2)}),
    }


def test_a_part_of_a_pool_is_asked_by_ids() -> None:
    """The tag would reach nodes that were not to be asked, and one that is offline."""
    members = [node(number) for number in range(1, 61)]
    ssm = TaggedSsm({}, {node(3): "offline"}, members)
    transport = over(ssm)
    transport.groups = groups_of([({TAG[0]: TAG[1]}, members)])
    replies = transport.ask(instance_ids=members, question=Question("probe"))
    assert all("Targets" not in request for request in ssm.sent)
    assert [one for one in members if replies[one].answer is None] == [node(3)]


def test_pools_that_two_tags_select_are_no_target() -> None:
    """A target of SSM is one tag with values; both together would be another set."""
    assert groups_of([({"a": "1", "b": "2"}, [node(1)])]) == {}


def test_a_node_that_the_tag_passed_over_is_unreachable_and_bounded() -> None:
    """SSM made no invocation for it: nobody waits for its deadline."""
    members = [node(number) for number in range(1, 61)]
    ssm = TaggedSsm({}, {}, members, late=(node(9),))
    transport = over(ssm)
    transport.groups = groups_of([({TAG[0]: TAG[1]}, members)])
    replies = transport.ask(instance_ids=members, question=Question("probe", deadline_seconds=3000))
    assert replies[node(9)].unreachable
    assert "no invocation" in replies[node(9)].problem
    assert transport.clock() < 200


def test_an_agent_that_is_lost_holds_nobody_up() -> None:
    """Offline at two looks: its reply says so, its command is cancelled, its deadline not waited for."""
    transport, ssm = transport_with(n2="never")
    cancelled: list[object] = []
    ssm.cancel_command = lambda **asked: cancelled.append(asked)
    describe = ssm.describe_instance_information

    def offline_later(Filters):  # noqa: N803
        if transport.clock() > 30:
            ssm.behave[node(2)] = "unknown"
        return describe(Filters)

    ssm.describe_instance_information = offline_later
    list_them = ssm.list_command_invocations

    def in_progress(CommandId, Details):  # noqa: N803
        before, ssm.behave[node(2)] = ssm.behave[node(2)], "never"
        found = list_them(CommandId, Details)
        ssm.behave[node(2)] = before
        return found

    ssm.list_command_invocations = in_progress
    ids = [node(1), node(2)]
    replies = transport.ask(instance_ids=ids, question=Question("run-jobs", deadline_seconds=3600))
    assert replies[node(1)].answer is not None
    assert "was lost while it worked" in replies[node(2)].problem
    assert transport.clock() < 300
    assert cancelled == [{"CommandId": "command-0", "InstanceIds": [node(2)]}]


def killed_while_waiting(folder: Path, how: str) -> FakeSsm:
    """A run that has sent a question and is killed before it has read one answer."""
    ssm = FakeSsm({}, {node(2): how})
    log = SentLog(FolderStore(folder), "run-1")
    transport = over(ssm, sent_log=log)

    def die(_command_id: str):
        raise KeyboardInterrupt

    transport.invocations = die  # type: ignore[method-assign, assignment]
    transport.cancel = lambda command_id: None  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        transport.ask(instance_ids=[node(1), node(2)], question=LASTING)
    return ssm


def resumed(ssm: FakeSsm, folder: Path) -> SsmTransport:
    """The transport of the run that goes on with it."""
    return over(ssm, sent_log=load_sent_log(store=FolderStore(folder), run_id="run-1", resumed=True))


def test_answers_that_came_when_nobody_was_there_are_collected_and_not_asked_for_again(
    tmp_path: Path,
) -> None:
    """What the run before sent and never read is read; no node is put under load twice."""
    ssm = killed_while_waiting(tmp_path, "well")
    replies = resumed(ssm, tmp_path).ask(instance_ids=[node(1), node(2)], question=LASTING)
    assert all(reply.answer is not None for reply in replies.values())
    assert len(ssm.sent) == 1


@pytest.mark.parametrize("how", ["cut", "failed", "missing", "undeliverable", "stale"])
def test_what_was_not_complete_is_asked_again(tmp_path: Path, how: str) -> None:
    """An answer that would be a problem is none to take up; its node alone is asked anew."""
    ssm = killed_while_waiting(tmp_path, how)
    ssm.behave[node(2)] = "well"
    replaced = ssm.list_command_invocations

    def first_as_it_was(CommandId, Details):  # noqa: N803
        ssm.behave[node(2)] = how if CommandId == "command-0" else "well"
        return replaced(CommandId, Details)

    ssm.list_command_invocations = first_as_it_was
    transport = resumed(ssm, tmp_path)
    send = ssm.send_command
    ssm.send_command = lambda **request: (ssm.behave.update({node(2): "well"}), send(**request))[1]
    replies = transport.ask(instance_ids=[node(1), node(2)], question=LASTING)
    assert all(reply.answer is not None for reply in replies.values())
    assert [request["InstanceIds"] for request in ssm.sent] == [[node(1), node(2)], [node(2)]]


def test_a_command_that_still_works_is_waited_for(tmp_path: Path) -> None:
    """Its controller died, the node goes on: the next run takes the command over."""
    ssm = killed_while_waiting(tmp_path, "never")
    transport = resumed(ssm, tmp_path)
    sleep = transport.sleep

    def ends_meanwhile(seconds: float) -> None:
        sleep(seconds)
        nonce = ssm.sent[0]["Parameters"]["Arguments"][0].split()[2]
        ssm.behave[node(2)] = "well"
        ssm._answer(node(2), "command-0", ssm.sent[0], "run-jobs", nonce)

    transport.sleep = ends_meanwhile
    replies = transport.ask(instance_ids=[node(1), node(2)], question=LASTING)
    assert replies[node(2)].answer is not None
    assert len(ssm.sent) == 1


@pytest.mark.parametrize(
    "question",
    [
        Question("run-jobs", ("--jobs", "other"), 100, usable_seconds=3600),
        Question("run-jobs", ("--jobs", "abc"), 100, usable_seconds=0),
    ],
)
def test_another_question_and_one_of_the_present_are_asked_anew(tmp_path: Path, question: Question) -> None:
    """What the scheduler says now is not what it said then."""
    ssm = killed_while_waiting(tmp_path, "well")
    resumed(ssm, tmp_path).ask(instance_ids=[node(1)], question=question)
    assert len(ssm.sent) == 2


def test_a_question_that_was_asked_twice_has_two_answers_each_used_once(tmp_path: Path) -> None:
    """A round that repeats a pair is measured again, and not read from the first time."""
    ssm = killed_while_waiting(tmp_path, "well")
    transport = resumed(ssm, tmp_path)
    for sent in (1, 2):
        transport.ask(instance_ids=[node(1), node(2)], question=LASTING)
        assert len(ssm.sent) == sent


def test_an_old_answer_and_a_command_that_ssm_forgot_are_asked_for_again(tmp_path: Path) -> None:
    """Thirty days on SSM knows the command no more; two hours on we do not want it."""
    ssm = killed_while_waiting(tmp_path, "well")
    log = load_sent_log(store=FolderStore(tmp_path), run_id="run-1", resumed=True)
    old = (datetime.now(UTC) - timedelta(hours=2)).isoformat()
    log.before = [type(one)(**{**one.__dict__, "sent_at": old}) for one in log.before]
    over(ssm, sent_log=log).ask(instance_ids=[node(1)], question=LASTING)
    assert len(ssm.sent) == 2
    transport = resumed(ssm, tmp_path)
    ssm.list_command_invocations = failing(ssm.list_command_invocations, 1, "InvalidCommandId")
    assert transport.ask(instance_ids=[node(1)], question=LASTING)[node(1)].answer is not None
    assert len(ssm.sent) == 3


@pytest.mark.parametrize("text", [b"", b"[", b"{}", b'[{"command_id": 1}]', b'[{"x": 1}]'])
def test_a_log_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, text: bytes) -> None:
    """Everything is asked anew."""
    FolderStore(tmp_path).write("runs/run-1/sent.json", text)
    assert load_sent_log(store=FolderStore(tmp_path), run_id="run-1", resumed=True).before == []


def test_a_new_run_takes_nothing_up(tmp_path: Path) -> None:
    """Whatever lies there under its name."""
    killed_while_waiting(tmp_path, "well")
    assert load_sent_log(store=FolderStore(tmp_path), run_id="run-1", resumed=False).before == []


def test_a_body_that_breaks_off_on_the_way_is_a_refusal(monkeypatch) -> None:
    """The connection to the bucket ended in the middle of an answer: that is no answer of the node."""
    transport, _ = transport_with()

    class Broken(io.BytesIO):
        def read(self, *_args) -> bytes:
            from botocore.exceptions import ResponseStreamingError

            raise ResponseStreamingError(error="cut")

    monkeypatch.setattr(transport.clients.s3, "get_object", lambda Bucket, Key: {"Body": Broken()})  # noqa: N803
    with pytest.raises(AwsRefused, match="reading the answer"):
        transport.ask(instance_ids=[node(1)], question=Question("probe"))
