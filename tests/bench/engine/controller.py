"""One validation in a process of its own, so that its cost is that process's: prints JSON, or why it failed.

The caller's process plays AWS and the nodes; what that costs is not counted here. Peak memory is above what
the process held when everything was imported and the clients were made.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from typing import Any

from bedplate.manifest import ClusterManifest
from bedplate.validation.aws import AwsClients
from bedplate.validation.judgement import judge
from bedplate.validation.validate import STEPS, new_validation
from tests.bench.memory import peak_mib


def main() -> int:
    """Read the manifest from standard input, validate, print what it cost."""
    manifest = ClusterManifest.model_validate_json(sys.stdin.read())
    clients = AwsClients(region=manifest.region)
    _ = clients.ec2, clients.s3, clients.ssm
    before = peak_mib()
    wall, processor = time.perf_counter(), time.process_time()
    validation = new_validation(clients=clients, manifest=manifest)
    steps = _timed(validation)
    result = validation.run()
    judgement = judge(result=result)
    sys.stdout.write(
        json.dumps(
            {
                "wall_s": round(time.perf_counter() - wall, 3),
                "processor_s": round(time.process_time() - processor, 3),
                "peak_mib": round(peak_mib() - before, 1),
                "base_mib": round(before, 1),
                "steps_s": steps,
                "passed": judgement.passed,
                "reasons": list(judgement.reasons),
                "verdicts": len(result.verdicts),
                "not_passed": Counter(
                    f"{v.check_id} {v.outcome.value}: {v.summary[:160]}"
                    for v in result.verdicts
                    if v.outcome.value not in ("pass", "not-applicable")
                ).most_common(8),
                "rounds": len(result.rounds),
            }
        )
    )
    return 0


def _timed(validation: Any) -> dict[str, float]:
    """Each step's processor time, by name; filled while the run goes on."""
    from bedplate.validation import validate

    told: dict[str, float] = {}

    def timed(step: Any) -> Any:
        def run(context: Any) -> None:
            begun = time.process_time()
            step(context)
            told[step.__name__] = round(time.process_time() - begun, 3)

        return run

    validate.STEPS = tuple(timed(step) for step in STEPS)
    return told


if __name__ == "__main__":
    raise SystemExit(main())
