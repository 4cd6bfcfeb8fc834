"""The yardstick for synth: the smallest Python CDK app that deploys anything."""

from __future__ import annotations

from aws_cdk import App, Stack
from aws_cdk.aws_s3 import Bucket

app = App()
Bucket(Stack(app, "one-bucket"), "bucket", enforce_ssl=True)
app.synth()
