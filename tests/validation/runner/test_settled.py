"""When a deploy has come to rest: not between two stacks, and not for ever."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from botocore.exceptions import ClientError

from bedplate.errors import AwsRefused, BedplateError
from bedplate.validation.runner.settled import Patience, wait_until_settled

STACKS = ("network", "storage")
PATIENCE = Patience(quiet_seconds=60, limit_seconds=600, pause_seconds=10)


class Deploy:
    """Stacks whose states follow the time; ``states``: name → [(from second, state)], None for not there."""

    def __init__(self, **states: list[tuple[float, str | None]]) -> None:
        self.now = 0.0
        self.states = states
        self.refuse = ""

    def describe_stacks(self, StackName):  # noqa: N803
        """The state at this moment."""
        if self.refuse:
            raise ClientError({"Error": {"Code": self.refuse, "Message": "no"}}, "DescribeStacks")
        state = [what for since, what in self.states[StackName] if since <= self.now][-1]
        if state is None:
            message = f"Stack with id {StackName} does not exist"
            raise ClientError({"Error": {"Code": "ValidationError", "Message": message}}, "DescribeStacks")
        return {"Stacks": [{"StackStatus": state}]}

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds

    def wait(self) -> list[str]:
        """Wait for it to come to rest."""
        clients = SimpleNamespace(cloudformation=self)
        return wait_until_settled(
            clients=clients,  # type: ignore[arg-type]
            stacks=STACKS,
            patience=PATIENCE,
            sleep=self.sleep,
            clock=lambda: self.now,
        )


def test_stacks_at_rest_are_waited_for_a_minute_and_no_longer() -> None:
    """The next stack of the same deploy begins within that time."""
    deploy = Deploy(network=[(0, "CREATE_COMPLETE")], storage=[(0, "UPDATE_COMPLETE")])
    assert deploy.wait() == []
    assert deploy.now == 60


def test_the_pause_between_two_stacks_is_not_the_end() -> None:
    """Thirty seconds after the first was done the second begins; the end is a minute after that one's."""
    deploy = Deploy(
        network=[(0, "UPDATE_IN_PROGRESS"), (100, "UPDATE_COMPLETE")],
        storage=[(0, "CREATE_COMPLETE"), (130, "UPDATE_IN_PROGRESS"), (300, "UPDATE_COMPLETE")],
    )
    assert deploy.wait() == []
    assert 350 <= deploy.now <= 370


def test_a_stack_that_is_not_there_yet_is_at_rest() -> None:
    """In an app of somebody else's there may be fewer stacks than are named."""
    assert Deploy(network=[(0, "CREATE_COMPLETE")], storage=[(0, None)]).wait() == []


def test_a_deploy_that_failed_is_told_on_the_page() -> None:
    """The run is made, and says that the cluster may not be the one that the file describes."""
    (note,) = Deploy(network=[(0, "CREATE_COMPLETE")], storage=[(0, "UPDATE_ROLLBACK_COMPLETE")]).wait()
    assert "Stack storage is UPDATE_ROLLBACK_COMPLETE" in note


def test_a_deploy_that_never_ends_is_given_up() -> None:
    """The error names the stack and its state."""
    deploy = Deploy(network=[(0, "CREATE_COMPLETE")], storage=[(0, "DELETE_IN_PROGRESS")])
    with pytest.raises(BedplateError, match="storage is still DELETE_IN_PROGRESS") as caught:
        deploy.wait()
    assert caught.value.error_id == "RUN-004"
    assert deploy.now < 700


def test_a_refusal_is_not_taken_for_a_stack_that_is_not_there() -> None:
    """A right that is missing ends the run."""
    deploy = Deploy(network=[(0, "CREATE_COMPLETE")], storage=[(0, None)])
    deploy.refuse = "AccessDenied"
    with pytest.raises(AwsRefused, match="state of stack network"):
        deploy.wait()
