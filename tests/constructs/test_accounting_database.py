"""The database of slurmdbd: who reaches it, what it is made of, what stays, what waits for what."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Synthesise = Callable[[Any], dict[str, Any]]
SUBNETS = {"usw2-az1": "subnet-1", "usw2-az2": "subnet-2"}


def _build(stack: Any, **props: Any) -> Any:
    from bedplate.constructs.accounting_database import AccountingDatabase

    given: dict[str, Any] = {
        "name": "research",
        "vpc_id": "vpc-1",
        "subnet_ids": SUBNETS,
        "client_group_id": "sg-slurmdbd",
        "credentials": "password",
        **props,
    }
    return AccountingDatabase(stack, "Accounting", **given)


def _of(template: dict[str, Any], type_: str) -> dict[str, dict[str, Any]]:
    return {key: each for key, each in template["Resources"].items() if each["Type"] == type_}


def _only(template: dict[str, Any], type_: str) -> dict[str, Any]:
    (found,) = _of(template, type_).values()
    properties: dict[str, Any] = found["Properties"]
    return properties


def test_mysql_comes_from_the_client_group_alone(synthesise: Synthesise) -> None:
    """One rule in, one out at the client, both on 3306 and by group id; no way out of the database."""
    template = synthesise(_build)
    (group_id,) = _of(template, "AWS::EC2::SecurityGroup")
    group = _only(template, "AWS::EC2::SecurityGroup")
    incoming = _only(template, "AWS::EC2::SecurityGroupIngress")
    outgoing = _only(template, "AWS::EC2::SecurityGroupEgress")
    own = {"Fn::GetAtt": [group_id, "GroupId"]}
    assert "SecurityGroupIngress" not in group
    assert [each["CidrIp"] for each in group["SecurityGroupEgress"]] == ["255.255.255.255/32"]
    for rule in (incoming, outgoing):
        assert (rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) == ("tcp", 3306, 3306)
    assert (incoming["GroupId"], incoming["SourceSecurityGroupId"]) == (own, "sg-slurmdbd")
    assert (outgoing["GroupId"], outgoing["DestinationSecurityGroupId"]) == ("sg-slurmdbd", own)
    assert _only(template, "AWS::RDS::DBCluster")["VpcSecurityGroupIds"] == [own]


def test_it_is_encrypted_backed_up_and_protected(synthesise: Synthesise) -> None:
    """Encryption, backups and protection against deletion are on; no instance has a public address."""
    template = synthesise(lambda stack: _build(stack, backup_days=35, kms_key_arn="arn:aws:kms:r:1:key/2"))
    cluster = _only(template, "AWS::RDS::DBCluster")
    assert cluster["StorageEncrypted"] is True
    assert cluster["KmsKeyId"] == "arn:aws:kms:r:1:key/2"
    assert cluster["BackupRetentionPeriod"] == 35
    assert cluster["DeletionProtection"] is True
    instances = _of(template, "AWS::RDS::DBInstance").values()
    assert [each["Properties"]["PubliclyAccessible"] for each in instances] == [False, False]


def test_everything_but_the_logs_stays(synthesise: Synthesise) -> None:
    """Database, secret, group and rules stay; a log group goes with the stack."""
    template = synthesise(_build)
    policies = {
        (each["Type"], each["DeletionPolicy"], each["UpdateReplacePolicy"])
        for each in template["Resources"].values()
    }
    goes = {policy for policy in policies if policy[1:] == ("Delete", "Delete")}
    assert goes == {("AWS::Logs::LogGroup", "Delete", "Delete")}
    assert {policy[1:] for policy in policies - goes} == {("RetainExceptOnCreate", "Retain")}


def test_slurmdbd_finds_the_parameters_that_it_asks_for(synthesise: Synthesise) -> None:
    """The lock's time-out is SchedMD's, and the group is of the engine's family, which stays as it is."""
    template = synthesise(_build)
    parameters = _only(template, "AWS::RDS::DBClusterParameterGroup")
    assert parameters["Parameters"]["innodb_lock_wait_timeout"] == "900"
    assert parameters["Family"] == "aurora-mysql8.0"
    assert _only(template, "AWS::RDS::DBCluster")["EngineVersion"].startswith("8.0.mysql_aurora.3.10.")
    instances = _of(template, "AWS::RDS::DBInstance").values()
    assert {each["Properties"]["AutoMinorVersionUpgrade"] for each in instances} == {False}


@pytest.mark.parametrize(("wanted", "value"), [(True, "ON"), (False, "OFF")])
def test_tls_is_required_unless_told_otherwise(synthesise: Synthesise, wanted: bool, value: str) -> None:
    """What ``tls_only`` says is what the server asks of clients."""
    template = synthesise(lambda stack: _build(stack, tls_only=wanted))
    parameters = _only(template, "AWS::RDS::DBClusterParameterGroup")["Parameters"]
    assert parameters["require_secure_transport"] == value


def test_parallelclusters_secret_is_the_password_alone(synthesise: Synthesise) -> None:
    """No JSON, no punctuation that a configuration file or a shell takes amiss; all of it is the password."""
    template = synthesise(_build)
    (secret_id,) = _of(template, "AWS::SecretsManager::Secret")
    rules = _only(template, "AWS::SecretsManager::Secret")["GenerateSecretString"]
    assert rules == {"ExcludePunctuation": True, "PasswordLength": 32}
    cluster = _only(template, "AWS::RDS::DBCluster")
    assert cluster["MasterUserPassword"]["Fn::Join"][1] == [
        "{{resolve:secretsmanager:",
        {"Ref": secret_id},
        ":SecretString:::}}",
    ]


def test_hyperpods_secret_holds_user_and_password(synthesise: Synthesise) -> None:
    """The user is in the secret as it is in the database, and the password is taken out of the JSON."""
    template = synthesise(lambda stack: _build(stack, credentials="user-and-password", user="accounting"))
    rules = _only(template, "AWS::SecretsManager::Secret")["GenerateSecretString"]
    cluster = _only(template, "AWS::RDS::DBCluster")
    assert json.loads(rules["SecretStringTemplate"]) == {"username": cluster["MasterUsername"]}
    assert rules["GenerateStringKey"] == "password"
    assert cluster["MasterUserPassword"]["Fn::Join"][1][2] == ":SecretString:password::}}"


def test_the_uri_waits_for_an_instance_that_may_be_reached(synthesise: Synthesise) -> None:
    """Host of the cluster, port of the first instance, and that instance waits for both rules."""
    from aws_cdk import CfnOutput

    template = synthesise(lambda stack: CfnOutput(stack, "Uri", value=_build(stack).uri))
    (cluster_id,) = _of(template, "AWS::RDS::DBCluster")
    host, colon, port = template["Outputs"]["Uri"]["Value"]["Fn::Join"][1]
    assert host == {"Fn::GetAtt": [cluster_id, "Endpoint.Address"]}
    assert colon == ":"
    first_id, attribute = port["Fn::GetAtt"]
    assert attribute == "Endpoint.Port"
    rules = _of(template, "AWS::EC2::SecurityGroupIngress") | _of(template, "AWS::EC2::SecurityGroupEgress")
    assert set(template["Resources"][first_id]["DependsOn"]) == set(rules)
    assert template["Resources"][first_id]["Properties"]["PromotionTier"] == 0


@pytest.mark.parametrize(("standby", "instances"), [(True, 2), (False, 1)])
def test_a_standby_is_made_after_the_first(synthesise: Synthesise, standby: bool, instances: int) -> None:
    """The instance that is made first is the one that writes; a standby is made unless told otherwise."""
    found = _of(synthesise(lambda stack: _build(stack, standby=standby)), "AWS::RDS::DBInstance")
    assert len(found) == instances
    (first_id,) = [key for key, each in found.items() if each["Properties"]["PromotionTier"] == 0]
    for key, each in found.items():
        assert each["Properties"]["DBInstanceClass"] == "db.serverless"
        assert key == first_id or each["DependsOn"] == [first_id]


def test_logs_have_an_end(synthesise: Synthesise) -> None:
    """Each exported log has a group of ours under the name that RDS takes, which is there first."""
    template = synthesise(_build)
    groups = _of(template, "AWS::Logs::LogGroup")
    (cluster,) = _of(template, "AWS::RDS::DBCluster").values()
    names = [each["Properties"]["LogGroupName"]["Fn::Join"][1] for each in groups.values()]
    assert {parts[0] for parts in names} == {"/aws/rds/cluster/research-"}
    exported = cluster["Properties"]["EnableCloudwatchLogsExports"]
    assert {parts[-1] for parts in names} == {f"/{each}" for each in exported}
    assert all(each["Properties"]["RetentionInDays"] == 90 for each in groups.values())
    assert set(cluster["DependsOn"]) == set(groups)


@pytest.mark.parametrize(
    ("props", "word"),
    [
        ({"subnet_ids": {"usw2-az1": "subnet-1"}}, "subnet_ids: 1 zone"),
        ({"backup_days": 0}, "backup_days: 0"),
        ({"backup_days": 36}, "backup_days: 36"),
        ({"name": "Research"}, "name: 'Research'"),
        ({"name": "1st"}, "name: '1st'"),
        ({"name": "a--b"}, "name: 'a--b'"),
        ({"name": "a" * 41}, "40 at most"),
        ({"name": ""}, "name: ''"),
    ],
)
def test_what_rds_refuses_is_refused_before(synthesise: Synthesise, props: dict[str, Any], word: str) -> None:
    """One zone, no backups, and names that RDS does not take raise ``ValueError`` with what was given."""
    with pytest.raises(ValueError, match=word):
        synthesise(lambda stack: _build(stack, **props))


# What the packs find and why it is right so; a stack that takes the construct acknowledges them with this.
FINDINGS = {
    "AwsSolutions-SMG4": "Secret",  # slurmdbd reads the password once: a rotation would cut it off
    "NIST.800.53.R5-SecretsManagerRotationEnabled": "Secret",  # the same
    "NIST.800.53.R5-SecretsManagerUsingKMSKey": "Secret",  # a head node has no right to a key of ours
    "AwsSolutions-RDS6": "Cluster",  # slurmdbd speaks passwords, no IAM
    "AwsSolutions-RDS11": "Cluster",  # one group reaches the port, whichever number it has
    "AwsSolutions-RDS14": "Cluster",  # any second of the backups can be restored
    "NIST.800.53.R5-RDSLoggingEnabled[LogExport::general]": "Cluster",  # every statement of slurmdbd
    "NIST.800.53.R5-CloudWatchLogGroupEncrypted": "AuditLog ErrorLog SlowqueryLog",  # as all our groups
    "NIST.800.53.R5-RDSEnhancedMonitoringEnabled": "First Standby",  # CloudWatch has Aurora's own figures
    "NIST.800.53.R5-RDSInBackupPlan": "First Standby",  # Aurora backs the cluster up
}


@pytest.mark.slow
@pytest.mark.usefixtures("_cdk")
def test_the_packs_find_what_is_known(tmp_path: Any) -> None:
    """AwsSolutions and NIST 800-53 R5 find what the list above says, no less and no more."""
    from aws_cdk import App, Environment, Stack

    from bedplate.stacks.policy import register_packs

    app = App(outdir=str(tmp_path))
    _build(Stack(app, "foreign", env=Environment(account="111122223333", region="us-west-2")))
    register_packs(app)
    with pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
    report = json.loads((tmp_path / "validation-report.json").read_text())
    found = {
        violation["ruleName"]: " ".join(
            sorted(each["constructPath"].rpartition("/")[2] for each in violation["violatingConstructs"])
        )
        for plugin in report["pluginReports"]
        for violation in plugin["violations"]
    }
    assert found == FINDINGS
