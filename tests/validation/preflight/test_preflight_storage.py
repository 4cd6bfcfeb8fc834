"""What is asked of file systems and buckets that are there already, and of quotas of new ones."""

from __future__ import annotations

from typing import Any

import pytest

from bedplate.diagnosis.verdict import Outcome, Severity, Verdict
from bedplate.spec.file_systems import Efs, LustreTiering, OpenZfs
from bedplate.spec.storage import Storage
from bedplate.validation.preflight.run import run_preflight
from tests.validation.preflight import storage_answers as storage
from tests.validation.preflight.fake_aws import FakeAws, preflight_of, refusal
from tests.validation.preflight.network_answers import FABRIC, GPU_SUBNET, pair, ranged, subnet
from tests.validation.preflight.storage_answers import (
    BUCKET,
    ROLE,
    SERVERS,
    existing_efs,
    existing_lustre,
    existing_zfs,
    with_file_systems,
)

KINDS = (existing_lustre(), existing_zfs(), existing_efs())


@pytest.fixture
def aws() -> FakeAws:
    """An account with file systems and a bucket in which all is well."""
    return storage.prepare(FakeAws())


def only(aws: FakeAws, check_id: str, changes: dict[str, Any]) -> Verdict:
    """The one verdict of a check."""
    (verdict,) = [
        one for one in run_preflight(preflight_of(aws, **changes)).verdicts if one.check_id == check_id
    ]
    return verdict


@pytest.mark.parametrize("wanted", KINDS, ids=lambda each: each.kind)
def test_a_file_system_in_which_all_is_well_passes(aws: FakeAws, wanted: Any) -> None:
    """It is there, fits, and lets the nodes through: two passes, named by the mount point."""
    for check_id in ("PRE-020", "PRE-021"):
        verdict = only(aws, check_id, with_file_systems(wanted))
        assert verdict.outcome is Outcome.PASS, verdict
        assert not verdict.findings
        assert str(verdict.subject) == wanted.mount


def spoil_row(aws: FakeAws, row: dict[str, Any]) -> None:
    """FSx tells this of every file system."""
    aws.tables["fsx"]["describe_file_systems"] = {"FileSystems": [row]}


@pytest.mark.parametrize(
    ("wanted", "row", "words"),
    [
        (existing_lustre(), storage.zfs_row(), "it is of the type OPENZFS, not LUSTRE"),
        (existing_lustre(), storage.lustre_row(Lifecycle="CREATING"), "it is CREATING, not AVAILABLE"),
        (existing_lustre(), storage.lustre_row(Lifecycle="MISCONFIGURED"), "it is MISCONFIGURED"),
        (existing_lustre(), storage.lustre_row(VpcId="vpc-other"), "it is in vpc-other, the environment in"),
        (existing_lustre(), storage.lustre_row(lustre={"MountName": "other"}), "its mount name is other"),
        (existing_lustre(), storage.lustre_row(lustre={"EfaEnabled": False}), "made without EFA"),
        (existing_zfs(path="/fsx/none"), storage.zfs_row(), "it has no volume /fsx/none; there are /fsx"),
    ],
)
def test_an_fsx_file_system_that_does_not_fit_fails(
    aws: FakeAws, wanted: Any, row: dict[str, Any], words: str
) -> None:
    """Kind, state, VPC, mount name, EFA and volume are held against the file."""
    spoil_row(aws, row)
    verdict = only(aws, "PRE-020", with_file_systems(wanted))
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert verdict.remedy


@pytest.mark.parametrize(
    ("efa", "outcome", "words"),
    [
        (True, Outcome.FAIL, "EFA does not reach it from usw2-az2"),
        (False, Outcome.PASS, "traffic between zones is charged both ways"),
    ],
)
def test_another_zone_is_out_of_reach_by_efa_and_dear_by_tcp(
    aws: FakeAws, efa: bool, outcome: Outcome, words: str
) -> None:
    """The zone of the servers' subnet is held against the nodes': a fail for EFA, a finding for TCP."""
    aws.tables["ec2"]["describe_subnets"] = lambda request: {
        "Subnets": [subnet(each, AvailabilityZoneId="usw2-az3") for each in request["SubnetIds"]]
    }
    spoil_row(aws, storage.lustre_row(lustre={"EfaEnabled": efa}))
    verdict = only(aws, "PRE-020", with_file_systems(existing_lustre(efa=efa)))
    assert verdict.outcome is outcome
    told = [finding.text for finding in verdict.findings if finding.severity is Severity.WARNING]
    assert words in " ".join([verdict.summary, *told])


@pytest.mark.parametrize(
    ("wanted", "row", "words"),
    [
        (existing_lustre(efa=False), storage.lustre_row(), "it has EFA, and the file says `efa: false`"),
        (existing_lustre(), storage.lustre_row(Lifecycle="UPDATING"), "it is being updated"),
        (existing_lustre(options=("flcok",)), storage.lustre_row(), "the mount option flcok"),
    ],
)
def test_what_does_not_stop_a_deploy_is_told(
    aws: FakeAws, wanted: Any, row: dict[str, Any], words: str
) -> None:
    """EFA that is not used, an update under way, and options that the kind does not know are findings."""
    spoil_row(aws, row)
    verdict = only(aws, "PRE-020", with_file_systems(wanted))
    assert verdict.outcome is Outcome.PASS
    assert words in verdict.findings[0].text


def test_a_volume_where_root_is_nobody_is_told(aws: FakeAws) -> None:
    """A node's root tries to write at boot, so that squashing root is a finding, but on a read-only mount."""
    aws.tables["fsx"]["describe_volumes"] = {"Volumes": [storage.volume("/fsx", "rw", "root_squash")]}
    written = only(aws, "PRE-020", with_file_systems(existing_zfs()))
    assert "takes root for nobody" in written.findings[0].text
    assert not only(aws, "PRE-020", with_file_systems(existing_zfs(options=("ro",)))).findings


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ([], "no mount target in vpc-"),
        ([storage.target(VpcId="vpc-other")], "VPCs with one: vpc-other"),
        ([storage.target("usw2-az1")], "it has no mount target in usw2-az2"),
        ([storage.target(LifeCycleState="creating")], "its mount target in usw2-az2 is creating"),
    ],
)
def test_efs_needs_a_mount_target_where_the_nodes_are(
    aws: FakeAws, targets: list[dict[str, Any]], words: str
) -> None:
    """A target in the nodes' VPC and zone, and an available one."""
    aws.tables["efs"]["describe_mount_targets"] = {"MountTargets": targets}
    verdict = only(aws, "PRE-020", with_file_systems(existing_efs()))
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


@pytest.mark.parametrize("wanted", KINDS, ids=lambda each: each.kind)
def test_an_id_that_is_nobodys_fails_and_hides_no_other(aws: FakeAws, wanted: Any) -> None:
    """An unknown id is told, and the check goes on with the next file system."""
    for service in ("fsx", "efs"):
        aws.tables[service]["describe_file_systems"] = refusal("FileSystemNotFound")
    aws.tables["efs"]["describe_mount_targets"] = refusal("FileSystemNotFound")
    verdict = only(aws, "PRE-020", with_file_systems(wanted))
    assert verdict.outcome is Outcome.FAIL
    assert "there is no such file system" in verdict.summary
    assert only(aws, "PRE-021", with_file_systems(wanted)).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("check_id", "service", "operation"),
    [
        ("PRE-020", "fsx", "describe_file_systems"),
        ("PRE-020", "fsx", "describe_volumes"),
        ("PRE-020", "ec2", "describe_subnets"),
        ("PRE-021", "ec2", "describe_network_interfaces"),
        ("PRE-021", "ec2", "describe_security_groups"),
    ],
)
def test_file_systems_that_may_not_be_looked_at_are_errors(
    aws: FakeAws, check_id: str, service: str, operation: str
) -> None:
    """A denial is never a pass."""
    aws.tables[service][operation] = refusal("AccessDenied")
    verdict = only(aws, check_id, with_file_systems(existing_zfs()))
    assert verdict.outcome is Outcome.ERROR


def with_groups(aws: FakeAws, *rows: dict[str, Any]) -> None:
    """EC2 tells these security groups."""
    by_id = {row["GroupId"]: row for row in rows}
    aws.tables["ec2"]["describe_security_groups"] = lambda request: {
        "SecurityGroups": [by_id[each] for each in request["GroupIds"]]
    }


@pytest.mark.parametrize(
    ("wanted", "groups", "words"),
    [
        (
            existing_lustre(),
            [storage.group(IpPermissions=[pair(SERVERS)]), storage.nodes_group()],
            f"its group ({SERVERS}) has no rule that lets all traffic in from the nodes' group, by group id",
        ),
        (
            existing_lustre(),
            [
                storage.group(IpPermissions=[ranged("10.0.0.0/8", port=None), pair(SERVERS)]),
                storage.nodes_group(),
            ],
            "has no rule that lets all traffic in from the nodes' group, by group id",
        ),
        (
            existing_lustre(),
            [storage.group(), storage.nodes_group(IpPermissions=[pair()])],
            f"the nodes' group ({FABRIC}) has no rule that lets all traffic in from its group",
        ),
        (
            existing_lustre(),
            [storage.group(IpPermissionsEgress=[pair(FABRIC)]), storage.nodes_group()],
            "has no rule that lets all traffic out to its group",
        ),
        (
            existing_zfs(),
            [storage.group(), storage.nodes_group(IpPermissionsEgress=[pair()])],
            "has no rule that lets tcp 2049 out to its group",
        ),
        (
            existing_efs(),
            [storage.group(IpPermissions=[ranged("10.0.0.0/8", port=443)]), storage.nodes_group()],
            "has no rule that lets tcp 2049 in from the nodes' group",
        ),
    ],
)
def test_a_shut_port_is_a_fail_that_names_group_and_way(
    aws: FakeAws, wanted: Any, groups: list[dict[str, Any]], words: str
) -> None:
    """Where the deploy adds no rules, each missing one is told; ranges never do for EFA."""
    with_groups(aws, *groups)
    verdict = only(aws, "PRE-021", with_file_systems(wanted))
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary


def test_ranges_suffice_for_nfs(aws: FakeAws) -> None:
    """NFS is matched by addresses: the nodes' subnet in, the servers' subnet out."""
    with_groups(
        aws,
        storage.group(IpPermissions=[ranged("10.0.0.0/16", port=2049)]),
        storage.nodes_group(IpPermissionsEgress=[pair(), ranged("10.0.0.0/20", port=2049)]),
    )
    assert only(aws, "PRE-021", with_file_systems(existing_zfs())).outcome is Outcome.PASS


def test_a_group_that_is_not_the_servers_fails(aws: FakeAws) -> None:
    """Rules would be added to a group that no server is in."""
    wanted = existing_zfs(security_group="sg-0123456789abcdef9")
    verdict = only(aws, "PRE-021", with_file_systems(wanted, fabric_group=None))
    assert verdict.outcome is Outcome.FAIL
    assert f"its servers are in {SERVERS}, not in sg-0123456789abcdef9" in verdict.summary


@pytest.mark.parametrize(
    ("description", "outcome"), [("somebody's own", Outcome.FAIL), ("NFS", Outcome.PASS)]
)
def test_a_rule_that_is_there_already_would_stop_the_deploy(
    aws: FakeAws, description: str, outcome: Outcome
) -> None:
    """EC2 refuses the second of two same rules; those of an earlier deploy, told by their description, are
    ours.
    """
    rule = {
        "IpProtocol": "tcp",
        "FromPort": 2049,
        "ToPort": 2049,
        "UserIdGroupPairs": [{"GroupId": FABRIC, "Description": description}],
    }
    with_groups(aws, storage.group(IpPermissions=[rule]), storage.nodes_group())
    verdict = only(aws, "PRE-021", with_file_systems(existing_zfs(security_group=SERVERS)))
    assert verdict.outcome is outcome
    assert ("are there already" in verdict.summary) is (outcome is Outcome.FAIL)


def test_a_bucket_that_may_be_tied_passes(aws: FakeAws) -> None:
    """It is there, in the Region, and the role that CloudFormation works by may use both prefixes."""
    verdict = only(aws, "PRE-022", {"storage": storage.tied_to("v3/", "v4/")})
    assert verdict.outcome is Outcome.PASS
    assert verdict.summary == f"s3://{BUCKET}/v3/, s3://{BUCKET}/v4/: {ROLE} may read, list and write"


@pytest.mark.parametrize(
    ("service", "operation", "answer", "words"),
    [
        ("s3", "get_bucket_location", refusal("NoSuchBucket"), f"there is no bucket {BUCKET}"),
        ("s3", "get_bucket_location", {"LocationConstraint": None}, f"{BUCKET} is in us-east-1"),
        ("s3", "get_bucket_location", {"LocationConstraint": "EU"}, f"{BUCKET} is in eu-west-1"),
        (
            "iam",
            "simulate_principal_policy",
            storage.simulated("s3:PutObject"),
            f"s3:PutObject on arn:aws:s3:::{BUCKET}/v3/probe is implicitDeny",
        ),
        (
            "iam",
            "simulate_principal_policy",
            storage.simulated("iam:PutRolePolicy"),
            "iam:PutRolePolicy on arn:aws:iam::123456789012:role/aws-service-role/s3.data-source.lustre",
        ),
        (
            "s3",
            "get_bucket_policy",
            {
                "Policy": '{"Statement": [{"Sid": "Mine", "Effect": "Deny", "Principal": "*", '
                f'"Action": "s3:Put*", "Resource": "arn:aws:s3:::{BUCKET}/*"}}]}}'
            },
            "the bucket's policy denies s3:PutObject (statement Mine)",
        ),
    ],
)
def test_a_bucket_that_cannot_be_tied_fails(
    aws: FakeAws, service: str, operation: str, answer: Any, words: str
) -> None:
    """Absence, another Region, a missing right and a denial are told before the deploy."""
    aws.tables[service][operation] = answer
    verdict = only(aws, "PRE-022", {"storage": storage.tied_to("v3/")})
    assert verdict.outcome is Outcome.FAIL
    assert words in verdict.summary
    assert verdict.remedy


@pytest.mark.parametrize(
    ("arn", "principal"),
    [
        (
            "arn:aws:sts::123456789012:assumed-role/Deployer/me",
            "arn:aws:iam::123456789012:role/path/Deployer",
        ),
        ("arn:aws:sts::123456789012:assumed-role/Gone/me", "arn:aws:iam::123456789012:role/Gone"),
        ("arn:aws:iam::123456789012:user/me", "arn:aws:iam::123456789012:user/me"),
    ],
)
def test_without_a_bootstrap_role_the_caller_is_asked_for(aws: FakeAws, arn: str, principal: str) -> None:
    """An assumed role's ARN becomes the role's, with its path, which the session's ARN leaves out."""
    asked: list[str] = []

    def role(request: dict[str, Any]) -> dict[str, Any]:
        if request["RoleName"] != "Deployer":
            raise aws.iam.exceptions.NoSuchEntityException
        return {"Role": {"Arn": "arn:aws:iam::123456789012:role/path/Deployer"}}

    def simulate(request: dict[str, Any]) -> Any:
        asked.append(request["PolicySourceArn"])
        return storage.simulated()(request)

    aws.tables["iam"] |= {"get_role": role, "simulate_principal_policy": simulate}
    aws.tables["sts"]["get_caller_identity"] = {"Account": "123456789012", "Arn": arn}
    assert only(aws, "PRE-022", {"storage": storage.tied_to("v3/")}).outcome is Outcome.PASS
    assert set(asked) == {principal}


def test_a_key_of_its_own_is_told(aws: FakeAws) -> None:
    """FSx's role is made with the file system, so that nobody can have added it to the key yet."""
    key = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": key}
    rules = [{"ApplyServerSideEncryptionByDefault": default}]
    aws.tables["s3"]["get_bucket_encryption"] = {"ServerSideEncryptionConfiguration": {"Rules": rules}}
    verdict = only(aws, "PRE-022", {"storage": storage.tied_to("v3/")})
    assert verdict.outcome is Outcome.PASS
    assert key in verdict.findings[0].text


def test_a_simulator_that_may_not_be_asked_is_an_error(aws: FakeAws) -> None:
    """Rights that nobody tells are not taken for granted."""
    aws.tables["iam"]["simulate_principal_policy"] = refusal("AccessDenied")
    assert only(aws, "PRE-022", {"storage": storage.tied_to("v3/")}).outcome is Outcome.ERROR


NEW = Storage(
    file_systems=(
        LustreTiering(kind="lustre-tiering", mount="/archive", throughput_mbps=4000, read_cache_gib=32),
        OpenZfs(kind="openzfs", mount="/home", capacity_gib=1024),
        Efs(kind="efs", mount="/apps"),
    )
)
LIMITS = {
    "L-0CD18A5D": ("throughput", 4000.0),
    "L-B7391FCE": ("cache", 32.0),
    "L-59D0763F": ("number", 2.0),
    "L-88479C21": ("storage", 2048.0),
    "L-4EDE4065": ("throughput of zfs", 800.0),
    "L-848C634D": ("number of efs", 2.0),
}


@pytest.mark.parametrize("check_id", ["PRE-023", "PRE-024", "PRE-025"])
def test_quotas_that_just_suffice_pass(aws: FakeAws, check_id: str) -> None:
    """What is asked for plus what others have is exactly the limit."""
    aws.limits |= LIMITS
    verdict = only(aws, check_id, {"storage": NEW})
    assert verdict.outcome is Outcome.PASS, verdict.summary


@pytest.mark.parametrize(
    ("check_id", "code"),
    [
        ("PRE-023", "L-0CD18A5D"),
        ("PRE-023", "L-B7391FCE"),
        ("PRE-024", "L-59D0763F"),
        ("PRE-024", "L-88479C21"),
        ("PRE-024", "L-4EDE4065"),
        ("PRE-025", "L-848C634D"),
    ],
)
def test_a_quota_that_is_one_too_small_fails(aws: FakeAws, check_id: str, code: str) -> None:
    """Each quota of each kind stops the deploy by itself, and the command to raise it is told."""
    name, limit = LIMITS[code]
    aws.limits |= {**LIMITS, code: (name, limit - 1)}
    verdict = only(aws, check_id, {"storage": NEW})
    assert verdict.outcome is Outcome.FAIL
    assert "1 too many" in verdict.summary
    assert code in verdict.remedy


def test_storage_of_others_only_is_in_use(aws: FakeAws) -> None:
    """The environment's own file systems are in what is asked for, and not counted twice."""
    mine = [{"Key": "bedplate:environment", "Value": "demo"}]
    aws.limits |= {**LIMITS, "L-59D0763F": ("number", 1.0), "L-88479C21": ("storage", 1024.0)}
    aws.tables["fsx"]["describe_file_systems"] = {"FileSystems": [storage.zfs_row(Tags=mine)]}
    assert only(aws, "PRE-024", {"storage": NEW}).outcome is Outcome.PASS


KEY = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
ENCRYPTED = Storage(file_systems=(OpenZfs(kind="openzfs", mount="/home", capacity_gib=1024, kms_key=KEY),))


@pytest.mark.parametrize(
    ("answer", "outcome", "words"),
    [
        ({"KeyMetadata": {"KeyState": "Enabled", "KeySpec": "SYMMETRIC_DEFAULT"}}, Outcome.PASS, "enabled"),
        ({"KeyMetadata": {"KeyState": "PendingDeletion"}}, Outcome.FAIL, f"{KEY} is PendingDeletion"),
        (
            {"KeyMetadata": {"KeyState": "Enabled", "KeySpec": "RSA_2048"}},
            Outcome.FAIL,
            "of the kind RSA_2048",
        ),
        (refusal("NotFoundException"), Outcome.FAIL, f"there is no key {KEY}"),
        (refusal("AccessDeniedException"), Outcome.ERROR, "not allowed"),
    ],
)
def test_a_key_must_be_there_and_enabled(aws: FakeAws, answer: Any, outcome: Outcome, words: str) -> None:
    """A key that cannot encrypt fails, and one that may not be looked at is an error."""
    aws.limits |= LIMITS
    aws.tables["kms"] = {"describe_key": answer}
    verdict = only(aws, "PRE-026", {"storage": ENCRYPTED})
    assert verdict.outcome is outcome
    assert words in verdict.summary


def test_nothing_is_asked_of_storage_that_is_not_there(aws: FakeAws) -> None:
    """An environment without file systems has none of these checks."""
    result = run_preflight(preflight_of(aws, storage=Storage()))
    assert not {f"PRE-0{number}" for number in (13, *range(20, 27))} & set(result.required_checks)
    assert GPU_SUBNET not in str(result.verdicts)
