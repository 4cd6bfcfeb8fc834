"""The database of slurmdbd, where a cluster runs slurmdbd itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from aws_cdk import Fn, RemovalPolicy, Stack
from constructs import Construct

from bedplate.constructs.database_group import PORT, DatabaseGroup
from bedplate.constructs.l1 import aws_logs as logs
from bedplate.constructs.l1 import aws_rds as rds
from bedplate.constructs.l1 import aws_secretsmanager as secretsmanager

ENGINE = "aurora-mysql"
ENGINE_VERSION = "8.0.mysql_aurora.3.10.4"
"""Of a line with long-term support: there for three years from July 2025, patched by AWS yearly and where it
must be. For such a line AWS advises against upgrades by themselves (Aurora User Guide, "Long-term support
(LTS) and beta releases" and "Amazon Aurora version support"; Aurora MySQL release notes, 3.10.0)."""
FAMILY = "aurora-mysql8.0"
PARAMETERS = {
    # What slurmdbd asks for at its start, in seconds; with less, a roll-up of usage can fail on a lock. The
    # sizes of buffer pool and log that it asks for too are Aurora's own business and follow the capacity.
    "innodb_lock_wait_timeout": "900",
    # Who connects, and what changes tables and rights; what jobs there are is in the database itself.
    "server_audit_events": "CONNECT,QUERY_DCL,QUERY_DDL",
    "server_audit_logging": "1",
    "slow_query_log": "1",
}
"""Sources: SchedMD, "Accounting and Resource Limits", MySQL configuration; aws-parallelcluster,
cloudformation/database/serverless-database.yaml; Aurora User Guide, "Using Advanced Auditing"."""
LOG_EXPORTS = ("audit", "error", "slowquery")
LOG_RETENTION_DAYS = 90
PASSWORD_CHARACTERS = 32
"""RDS takes 8 to 41 for MySQL."""
LONGEST_NAME = 40
_STAYS = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE

Credentials = Literal["password", "user-and-password"]


class AccountingDatabase(Construct):
    """Aurora MySQL Serverless v2 for slurmdbd: encrypted, protected against deletion, and it stays.

    ``subnet_ids`` is from a zone's id to a subnet in it, of two zones at least. ``client_group_id`` is the
    group of the node that runs slurmdbd; nobody else reaches the port. ``credentials`` is what the secret
    holds: ParallelCluster wants the password and nothing else, HyperPod user and password. ``standby`` adds
    an instance that takes over where the first fails. ``tls_only`` refuses clients in clear text.

    Whoever names ``uri`` waits for the first instance and its rules; who names ``host`` alone must depend on
    the construct, since a cluster has its name before anything answers there. Nothing rotates the password:
    slurmdbd reads it from a file that is written when the cluster is made or updated, so a password that
    changes by itself cuts slurmdbd off (the example's README says how to change it).
    """

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        name: str,
        vpc_id: str,
        subnet_ids: Mapping[str, str],
        client_group_id: str,
        credentials: Credentials,
        user: str = "slurm",
        min_capacity_acu: float = 1,
        max_capacity_acu: float = 4,
        standby: bool = True,
        tls_only: bool = True,
        backup_days: int = 14,
        kms_key_arn: str | None = None,
    ) -> None:
        super().__init__(scope, id)
        _check(name=name, zones=len(subnet_ids), backup_days=backup_days)
        group = DatabaseGroup(self, "Access", vpc_id=vpc_id, client_group_id=client_group_id)
        secret = self._secret(credentials, user=user)
        # The stack's own part of the name lets an environment be made again beside a database that stayed.
        # A name at all: CloudFormation cannot replace the cluster, and with it all records, in silence.
        own = Fn.select(0, Fn.split("-", Fn.select(2, Fn.split("/", Stack.of(self).stack_id))))
        identifier = f"{name}-{own}"
        self.resource = rds.CfnDBCluster(
            self,
            "Cluster",
            db_cluster_identifier=identifier,
            engine=ENGINE,
            engine_version=ENGINE_VERSION,
            db_subnet_group_name=self._subnets(list(subnet_ids.values())),
            db_cluster_parameter_group_name=self._parameters(tls_only=tls_only),
            vpc_security_group_ids=[group.group_id],
            port=PORT,
            master_username=user,
            master_user_password=_password(secret.ref, credentials),
            serverless_v2_scaling_configuration=rds.CfnDBCluster.ServerlessV2ScalingConfigurationProperty(
                min_capacity=min_capacity_acu, max_capacity=max_capacity_acu
            ),
            storage_encrypted=True,
            kms_key_id=kms_key_arn,
            backup_retention_period=backup_days,
            copy_tags_to_snapshot=True,
            deletion_protection=True,
            enable_cloudwatch_logs_exports=list(LOG_EXPORTS),
        )
        """The cluster of the database."""
        self.resource.apply_removal_policy(_STAYS)
        self._logs(identifier)
        first = self._instance("First", promotion_tier=0)
        first.node.add_dependency(*group.rules)
        if standby:
            self._instance("Standby", promotion_tier=1).add_resource_dependency(first)
        self.host: str = self.resource.attr_endpoint_address
        """Name of the endpoint that writes, wherever that is at the moment."""
        self.port: int = PORT
        """Its port."""
        # The port is the instance's, so that a reference to the whole waits for something that answers.
        self.uri: str = f"{self.host}:{first.attr_endpoint_port}"
        """``host:port``."""
        self.user: str = user
        """Who slurmdbd comes as; may make its own schema."""
        self.secret_arn: str = secret.ref
        """ARN of the secret."""
        self.group_id: str = group.group_id
        """The database's own security group."""

    def _secret(self, credentials: Credentials, *, user: str) -> Any:
        template = {"username": user} if credentials == "user-and-password" else None
        secret = secretsmanager.CfnSecret(
            self,
            "Secret",
            description=f"Slurm accounting: {credentials.replace('-', ' ')} of {user}",
            generate_secret_string=secretsmanager.CfnSecret.GenerateSecretStringProperty(
                password_length=PASSWORD_CHARACTERS,
                # It comes into slurmdbd.conf and through a shell, and RDS refuses some of it.
                exclude_punctuation=True,
                generate_string_key="password" if template else None,
                secret_string_template=json.dumps(template) if template else None,
            ),
        )
        secret.apply_removal_policy(_STAYS)
        return secret

    def _subnets(self, subnet_ids: list[str]) -> str:
        subnets = rds.CfnDBSubnetGroup(
            self,
            "Subnets",
            db_subnet_group_description="Slurm accounting: subnets of the database",
            subnet_ids=subnet_ids,
        )
        subnets.apply_removal_policy(_STAYS)
        return subnets.ref

    def _parameters(self, *, tls_only: bool) -> str:
        parameters = rds.CfnDBClusterParameterGroup(
            self,
            "Parameters",
            description="Slurm accounting: what slurmdbd asks for",
            family=FAMILY,
            parameters={**PARAMETERS, "require_secure_transport": "ON" if tls_only else "OFF"},
        )
        parameters.apply_removal_policy(_STAYS)
        return parameters.ref

    def _logs(self, identifier: str) -> None:
        """RDS makes the groups itself where they are not there, and keeps what is in them for ever."""
        for kind in LOG_EXPORTS:
            group = logs.CfnLogGroup(
                self,
                f"{kind.capitalize()}Log",
                log_group_name=f"/aws/rds/cluster/{identifier}/{kind}",
                retention_in_days=LOG_RETENTION_DAYS,
            )
            group.apply_removal_policy(RemovalPolicy.DESTROY)
            self.resource.add_resource_dependency(group)

    def _instance(self, name: str, *, promotion_tier: int) -> Any:
        instance = rds.CfnDBInstance(
            self,
            name,
            engine=ENGINE,
            db_cluster_identifier=self.resource.ref,
            db_instance_class="db.serverless",
            promotion_tier=promotion_tier,
            publicly_accessible=False,
            # Or it would leave the line with long-term support.
            auto_minor_version_upgrade=False,
        )
        instance.apply_removal_policy(_STAYS)
        return instance


def _password(secret_arn: str, credentials: Credentials) -> str:
    """The password itself, which CloudFormation puts in and shows nowhere."""
    key = "password" if credentials == "user-and-password" else ""
    return f"{{{{resolve:secretsmanager:{secret_arn}:SecretString:{key}::}}}}"


def _check(*, name: str, zones: int, backup_days: int) -> None:
    if zones < 2:
        raise ValueError(f"subnet_ids: {zones} zone given, Aurora wants subnets in two at least")
    if not 1 <= backup_days <= 35:
        raise ValueError(f"backup_days: {backup_days} given, Aurora keeps backups for 1 to 35 days")
    well_made = name[:1].isalpha() and name.replace("-", "").isalnum() and "--" not in name
    if not well_made or not name.isascii() or name != name.lower() or len(name) > LONGEST_NAME:
        raise ValueError(
            f"name: {name!r} given, wanted a letter, then letters, digits and single hyphens,"
            f" all lower case, {LONGEST_NAME} at most"
        )
