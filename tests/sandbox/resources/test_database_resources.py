"""Aurora clusters with what surrounds them, and secrets."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest

from bedplate.sandbox.cloudformation.errors import ResourceError
from bedplate.sandbox.resources.rds_refusal import refuse_unknown_version
from tests.sandbox.stand_in import StandIn, outputs

ZONES = ("usw2-az1", "usw2-az2")


def _resources(**cluster: Any) -> dict[str, Any]:
    """A VPC, what a cluster asks for, one with an instance; ``cluster`` is laid over its properties."""
    subnets = {
        f"Subnet{index}": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": {"Ref": "Vpc"},
                "CidrBlock": f"10.0.{index}.0/24",
                "AvailabilityZoneId": zone,
            },
        }
        for index, zone in enumerate(ZONES)
    }
    return {
        "Vpc": {"Type": "AWS::EC2::VPC", "Properties": {"CidrBlock": "10.0.0.0/16"}},
        **subnets,
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {"GroupDescription": "database", "VpcId": {"Ref": "Vpc"}},
        },
        "Subnets": {
            "Type": "AWS::RDS::DBSubnetGroup",
            "Properties": {
                "DBSubnetGroupDescription": "two zones",
                "SubnetIds": [{"Ref": name} for name in subnets],
            },
        },
        "Parameters": {
            "Type": "AWS::RDS::DBClusterParameterGroup",
            "Properties": {
                "Description": "for slurmdbd",
                "Family": "aurora-mysql8.0",
                "Parameters": {"innodb_lock_wait_timeout": "900"},
            },
        },
        "Secret": {
            "Type": "AWS::SecretsManager::Secret",
            "Properties": {"GenerateSecretString": {"ExcludePunctuation": True, "PasswordLength": 32}},
        },
        "Cluster": {
            "Type": "AWS::RDS::DBCluster",
            "Properties": {
                "Engine": "aurora-mysql",
                "EngineVersion": "8.0.mysql_aurora.3.10.4",
                "DBSubnetGroupName": {"Ref": "Subnets"},
                "DBClusterParameterGroupName": {"Ref": "Parameters"},
                "VpcSecurityGroupIds": [{"Ref": "Group"}],
                "MasterUsername": "slurm",
                "MasterUserPassword": {"Fn::Sub": "{{resolve:secretsmanager:${Secret}:SecretString:::}}"},
                "ServerlessV2ScalingConfiguration": {"MinCapacity": 1, "MaxCapacity": 4},
                "StorageEncrypted": True,
                "BackupRetentionPeriod": 14,
                **cluster,
            },
        },
        "Instance": {
            "Type": "AWS::RDS::DBInstance",
            "Properties": {
                "Engine": "aurora-mysql",
                "DBClusterIdentifier": {"Ref": "Cluster"},
                "DBInstanceClass": "db.serverless",
            },
        },
    }


_OUTPUTS = {
    "Cluster": {"Value": {"Ref": "Cluster"}},
    "Host": {"Value": {"Fn::GetAtt": ["Cluster", "Endpoint.Address"]}},
    "Port": {"Value": {"Fn::GetAtt": ["Instance", "Endpoint.Port"]}},
    "Secret": {"Value": {"Ref": "Secret"}},
    "Vpc": {"Value": {"Ref": "Vpc"}},
}


def test_a_cluster_is_told_by_rds(stand_in: StandIn) -> None:
    """What a stack makes, the RDS API describes: the cluster, its instance, its parameters."""
    stack = stand_in.create(_resources(), Outputs=_OUTPUTS)
    told, rds = outputs(stack), stand_in.client("rds")
    (cluster,) = rds.describe_db_clusters(DBClusterIdentifier=told["Cluster"])["DBClusters"]
    assert (cluster["Endpoint"], cluster["Port"]) == (told["Host"], 3306)
    assert told["Port"] == "3306"
    assert cluster["StorageEncrypted"] is True
    assert cluster["BackupRetentionPeriod"] == 14
    (member,) = cluster["DBClusterMembers"]
    (instance,) = rds.describe_db_instances(DBInstanceIdentifier=member["DBInstanceIdentifier"])[
        "DBInstances"
    ]
    assert instance["DBInstanceClass"] == "db.serverless"
    parameters = rds.describe_db_cluster_parameters(
        DBClusterParameterGroupName=cluster["DBClusterParameterGroup"]
    )["Parameters"]
    assert {each["ParameterName"]: each["ParameterValue"] for each in parameters} == {
        "innodb_lock_wait_timeout": "900"
    }
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"
    assert rds.describe_db_clusters()["DBClusters"] == []


@pytest.mark.parametrize(
    ("cluster", "word"),
    [
        ({"EngineVersion": "8.0.mysql_aurora.3.99.0"}, "Cannot find version 8.0.mysql_aurora.3.99.0"),
        ({"Engine": "aurora-postgresql", "EngineVersion": "16"}, "plays clusters of aurora-mysql"),
        ({"EngineVersion": "8.0.mysql_aurora.3.02.0"}, "Cannot find version 8.0.mysql_aurora.3.02.0"),
        ({"EngineVersion": "8.4.mysql_aurora.8.4.7"}, "with DBParameterGroupFamily aurora-mysql8.4"),
        ({"MasterUserPassword": "short"}, "not a valid password"),
        ({"MasterUserPassword": "with@at-sign"}, "not a valid password"),
        ({"DBClusterIdentifier": "a--b"}, "'a--b' does not match"),
        ({"DBSubnetGroupName": "nobody-made-this"}, "'nobody-made-this' does not exist"),
        ({"DBClusterParameterGroupName": "nobody-made-this"}, "group not found: nobody-made-this"),
        ({"VpcSecurityGroupIds": ["sg-0123456789abcdef0"]}, "sg-0123456789abcdef0 is not in VPC"),
        ({"EnableCloudwatchLogsExports": ["poem"]}, "log type 'poem'"),
        ({"ServerlessV2ScalingConfiguration": {"MinCapacity": 4, "MaxCapacity": 1}}, "4.0 to 1.0 given"),
        ({"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.3, "MaxCapacity": 1}}, "steps of 0.5"),
    ],
)
def test_a_wrong_cluster_is_refused(stand_in: StandIn, cluster: dict[str, Any], word: str) -> None:
    """Versions, names, passwords, capacity and surroundings that RDS refuses fail the stack."""
    stack = stand_in.create(_resources(**cluster))
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word.lower() in stand_in.reasons(stack["StackName"]).lower()


def test_one_zone_is_refused(stand_in: StandIn) -> None:
    """A subnet group needs subnets in two zones, however many there are."""
    resources = _resources()
    resources["Subnet1"]["Properties"]["AvailabilityZoneId"] = ZONES[0]
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert "DBSubnetGroupDoesNotCoverEnoughAZs" in stand_in.reasons(stack["StackName"])


@pytest.mark.parametrize(
    ("properties", "word"),
    [
        ({"Parameters": {"innodb_log_file_size": "64"}}, "with name: innodb_log_file_size"),
        ({"Family": "aurora-mysql9.9"}, "aurora-mysql9.9 is not a valid parameter group family"),
    ],
)
def test_parameters_that_aurora_has_not_are_refused(
    stand_in: StandIn, properties: dict[str, Any], word: str
) -> None:
    """A family that there is not, and a parameter of MySQL that Aurora's storage has no use for."""
    resources = _resources()
    resources["Parameters"]["Properties"].update(properties)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


@pytest.mark.parametrize(
    ("properties", "word"),
    [
        ({"DBClusterIdentifier": "nobody-made-this"}, "DBCluster nobody-made-this not found"),
        ({"Engine": "mysql"}, "mysql"),
        ({"DeletionProtection": True}, "DeletionProtection is the cluster's"),
        ({"StorageEncrypted": True}, "StorageEncrypted is the cluster's"),
    ],
)
def test_a_wrong_instance_is_refused(stand_in: StandIn, properties: dict[str, Any], word: str) -> None:
    """An instance of no cluster, of another engine, or with what is the cluster's alone."""
    resources = _resources()
    resources["Instance"]["Properties"].update(properties)
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_a_serverless_instance_needs_the_clusters_capacity(stand_in: StandIn) -> None:
    """Without the scaling configuration the cluster takes no serverless instance."""
    resources = _resources()
    del resources["Cluster"]["Properties"]["ServerlessV2ScalingConfiguration"]
    stack = stand_in.create(resources)
    assert "Set the Serverless v2 scaling configuration" in stand_in.reasons(stack["StackName"])


def test_a_protected_cluster_is_not_deleted(stand_in: StandIn) -> None:
    """The stack cannot go while the cluster is protected, and can when it is no longer."""
    stack = stand_in.create(_resources(DeletionProtection=True), Outputs=_OUTPUTS)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "Cannot delete protected Cluster" in stand_in.reasons(stack["StackName"])
    stand_in.client("rds").modify_db_cluster(
        DBClusterIdentifier=outputs(stack)["Cluster"], DeletionProtection=False, ApplyImmediately=True
    )
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_protected_cluster_holds_up_a_roll_back(stand_in: StandIn) -> None:
    """A first deploy that fails after the cluster was made cannot take it away again."""
    resources = _resources(DeletionProtection=True)
    resources["Instance"]["Properties"]["Engine"] = "mysql"
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "ROLLBACK_FAILED"
    assert "Cannot delete protected Cluster" in stand_in.reasons(stack["StackName"])
    rds = stand_in.client("rds")
    rds.modify_db_cluster(
        DBClusterIdentifier=stand_in.physical_id(stack["StackName"], "Cluster"),
        DeletionProtection=False,
        ApplyImmediately=True,
    )
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_COMPLETE"


def test_a_second_cluster_of_a_name_is_refused(stand_in: StandIn) -> None:
    """One cluster of a name in an account and Region: a replacement under the same name ends here."""
    resources = _resources(DBClusterIdentifier="one-of-a-name")
    stack = stand_in.create(resources)
    assert stack["StackStatus"] == "CREATE_COMPLETE"
    resources["Cluster"]["Properties"]["StorageEncrypted"] = False
    updated = stand_in.update(stack["StackName"], resources)
    assert updated["StackStatus"] == "UPDATE_ROLLBACK_COMPLETE"
    assert "DB Cluster already exists" in stand_in.reasons(stack["StackName"])
    stand_in.delete(stack)


def test_a_cluster_changes_in_place(stand_in: StandIn) -> None:
    """Backups, capacity and parameters change under the same name."""
    resources = _resources()
    stack = stand_in.create(resources, Outputs=_OUTPUTS)
    cluster_id = outputs(stack)["Cluster"]
    resources["Cluster"]["Properties"].update(
        BackupRetentionPeriod=35, ServerlessV2ScalingConfiguration={"MinCapacity": 2, "MaxCapacity": 8}
    )
    resources["Parameters"]["Properties"]["Parameters"] = {"slow_query_log": "1"}
    updated = stand_in.update(stack["StackName"], resources, Outputs=_OUTPUTS)
    assert updated["StackStatus"] == "UPDATE_COMPLETE"
    rds = stand_in.client("rds")
    (cluster,) = rds.describe_db_clusters(DBClusterIdentifier=cluster_id)["DBClusters"]
    assert cluster["BackupRetentionPeriod"] == 35
    assert cluster["ServerlessV2ScalingConfiguration"] == {"MinCapacity": 2, "MaxCapacity": 8}
    parameters = rds.describe_db_cluster_parameters(
        DBClusterParameterGroupName=cluster["DBClusterParameterGroup"]
    )["Parameters"]
    assert [each["ParameterName"] for each in parameters] == ["slow_query_log"]
    stand_in.delete(stack)


def test_a_retained_database_keeps_its_network(stand_in: StandIn) -> None:
    """An instance stands in its subnet under its group, and keeps both until it is deleted."""
    resources = _resources()
    for name in ("Cluster", "Instance", "Subnets", "Parameters"):
        resources[name]["DeletionPolicy"] = "Retain"
    stack = stand_in.create(resources, Outputs=_OUTPUTS)
    assert stand_in.delete(stack)["StackStatus"] == "DELETE_FAILED"
    assert "has dependencies and cannot be deleted" in stand_in.reasons(stack["StackName"])
    assert "has a dependent object" in stand_in.reasons(stack["StackName"])


def test_a_made_up_secret_follows_its_rules(stand_in: StandIn) -> None:
    """A password alone, of the length and characters asked for; or one member of a JSON template."""
    resources = {
        "Plain": _resources()["Secret"],
        "Json": {
            "Type": "AWS::SecretsManager::Secret",
            "Properties": {
                "GenerateSecretString": {
                    "SecretStringTemplate": '{"username": "slurm"}',
                    "GenerateStringKey": "password",
                    "ExcludePunctuation": True,
                }
            },
        },
    }
    stack = stand_in.create(resources, Outputs={name: {"Value": {"Ref": name}} for name in resources})
    told, secrets = outputs(stack), stand_in.client("secretsmanager")
    assert told["Plain"].startswith("arn:aws:secretsmanager:us-west-2:")
    plain = secrets.get_secret_value(SecretId=told["Plain"])["SecretString"]
    assert len(plain) == 32
    assert set(plain) <= set(string.ascii_letters + string.digits)
    members = json.loads(secrets.get_secret_value(SecretId=told["Json"])["SecretString"])
    assert set(members) == {"username", "password"}
    assert members["username"] == "slurm"
    stand_in.delete(stack)
    assert secrets.list_secrets()["SecretList"] == []


def test_a_secret_keeps_its_value_until_its_rules_change(stand_in: StandIn) -> None:
    """A new description leaves the password alone; other rules make another."""
    resources = {"Secret": _resources()["Secret"]}
    told = {"Secret": {"Value": {"Ref": "Secret"}}}
    stack = stand_in.create(resources, Outputs=told)
    secrets, arn = stand_in.client("secretsmanager"), outputs(stack)["Secret"]
    first = secrets.get_secret_value(SecretId=arn)["SecretString"]
    resources["Secret"]["Properties"]["Description"] = "of slurmdbd"
    stand_in.update(stack["StackName"], resources, Outputs=told)
    assert secrets.get_secret_value(SecretId=arn)["SecretString"] == first
    resources["Secret"]["Properties"]["GenerateSecretString"]["PasswordLength"] = 40
    stand_in.update(stack["StackName"], resources, Outputs=told)
    assert len(secrets.get_secret_value(SecretId=arn)["SecretString"]) == 40
    stand_in.delete(stack)


@pytest.mark.parametrize(
    ("properties", "word"),
    [
        ({"SecretString": "a", "GenerateSecretString": {}}, "are both given"),
        ({"GenerateSecretString": {"SecretStringTemplate": "{}"}}, "go together"),
        (
            {"GenerateSecretString": {"SecretStringTemplate": "no", "GenerateStringKey": "p"}},
            "SecretStringTemplate is not JSON",
        ),
    ],
)
def test_a_wrong_secret_is_refused(stand_in: StandIn, properties: dict[str, Any], word: str) -> None:
    """Two ways at once, half a template, and a template that is none."""
    stack = stand_in.create({"Secret": {"Type": "AWS::SecretsManager::Secret", "Properties": properties}})
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"
    assert word in stand_in.reasons(stack["StackName"])


def test_the_construct_asks_for_what_is_offered() -> None:
    """RDS offers the construct's engine version; old ones it keeps, and what there never was it refuses."""
    from bedplate.constructs.accounting_database import ENGINE, ENGINE_VERSION

    refuse_unknown_version(ENGINE, ENGINE_VERSION)
    refuse_unknown_version(ENGINE, "8.0.mysql_aurora.3.02.0", at_creation=False)
    with pytest.raises(ResourceError, match=r"Cannot find version 4\.2"):
        refuse_unknown_version(ENGINE, "4.2")
