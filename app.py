"""The CDK's entry: ``cdk deploy -c env=NAME --all`` runs this file, which reads environments/NAME.yaml."""

from __future__ import annotations

import sys
from pathlib import Path

from bedplate.stacks.entry import main

if __name__ == "__main__":
    sys.exit(main(base=Path(__file__).parent))
