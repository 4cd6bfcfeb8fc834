"""Which services a closed network needs endpoints for."""

from __future__ import annotations

from pathlib import Path

from bedplate.spec import load_environment
from bedplate.spec.endpoints import ENDPOINT_SERVICES, interface_services, needed_services

DEV = Path(__file__).parents[2] / "environments" / "dev.yaml"


def test_rows_are_one_for_each_service() -> None:
    """Names and IAM prefixes differ; S3 alone has a gateway; each row has a caller and a source."""
    for field in ("name", "iam_prefix"):
        values = [getattr(each, field) for each in ENDPOINT_SERVICES]
        assert len(set(values)) == len(values)
    assert [each.name for each in ENDPOINT_SERVICES if each.kind == "Gateway"] == ["s3"]
    assert all(each.caller and each.source for each in ENDPOINT_SERVICES)


def test_a_slurm_cluster_on_pcs_needs_five() -> None:
    """S3, PCS, and the three that the SSM agent calls."""
    assert [each.name for each in needed_services(load_environment(DEV))] == [
        "s3",
        "pcs",
        "ssm",
        "ssmmessages",
        "ec2messages",
    ]


def test_what_jobs_call_comes_after_what_the_cluster_calls() -> None:
    """The list of interface endpoints has each service once, in a stable order."""
    environment = load_environment(DEV)
    network = environment.network.model_copy(update={"endpoint_services": ("ecr.api", "ssm", "ecr.api")})
    wanted = environment.model_copy(update={"network": network})
    assert interface_services(wanted) == ("pcs", "ssm", "ssmmessages", "ec2messages", "ecr.api")
