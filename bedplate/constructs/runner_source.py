"""What the runner in the account installs: this package's wheel, and the locked list of what it needs."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from constructs import Construct

from bedplate.constructs.file_asset import FileAsset
from bedplate.constructs.runner_wheel import build_wheel

REQUIREMENTS = Path(__file__).parent / "runner_requirements.txt"
"""Exact versions with hashes, a part of ``requirements/all.lock``; no CDK, and no Node."""


class RunnerSource(Construct):
    """A zip in the CDK's asset bucket with the wheel and ``requirements.txt``: a source for CodeBuild."""

    def __init__(self, scope: Construct, id: str) -> None:  # noqa: A002
        super().__init__(scope, id)
        with tempfile.TemporaryDirectory(prefix="bedplate-runner-") as name:
            folder = Path(name)
            build_wheel(folder=folder)
            shutil.copyfile(REQUIREMENTS, folder / "requirements.txt")
            # The asset is copied into the cloud assembly at once, so the folder may go.
            asset = FileAsset(self, "Zip", path=folder, kind="folder")
        self.bucket_name: str = asset.bucket_name
        """The bucket that ``cdk deploy`` uploads it to."""
        self.key: str = asset.key
        """The object's key."""
