"""A CDK app of an environment with as many pools as its argument says; tells counts where it is asked to.

``python pools_app.py 9`` writes the assembly. ``python pools_app.py --count 1 9`` synthesises each in turn
and prints, as JSON by number of pools, the resources, the questions to Node and the bytes of all templates.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bedplate.stacks.entry import use_locked_node


def synthesise(pools: int, folder: str | None = None) -> Path:
    """Write the assembly of an environment with so many pools; return its folder."""
    from aws_cdk import App

    from bedplate.stacks.environment_app import build_stacks
    from tests.support.many_pools import many_pools

    context = json.loads(os.environ.get("CDK_CONTEXT_JSON") or "{}")
    app = App(context=context, outdir=folder)
    build_stacks(app, environment=many_pools(pools))
    return Path(app.synth().directory)


def count(pools: int) -> dict[str, int]:
    """What one synthesis takes and makes."""
    with tempfile.TemporaryDirectory(prefix="bedplate-pools-") as folder, _questions() as asked:
        texts = [path.read_text() for path in synthesise(pools, folder).glob("*.template.json")]
    return {
        "resources": sum(len(json.loads(text)["Resources"]) for text in texts),
        "largest_stack_resources": max(len(json.loads(text)["Resources"]) for text in texts),
        "questions": len(asked),
        "template_bytes": sum(len(text.encode()) for text in texts),
        "largest_template_bytes": max(len(text.encode()) for text in texts),
    }


@contextmanager
def _questions() -> Iterator[list[str]]:
    """Every question that is sent to Node meanwhile, by its kind."""
    # The one place that every request of jsii's runtime passes; it has no public counter.
    from jsii._kernel.providers import process

    sent: list[str] = []
    send = process._NodeProcess.send

    def counted(self: object, request: object, *rest: object) -> object:
        sent.append(type(request).__name__)
        return send(self, request, *rest)  # type: ignore[arg-type]

    process._NodeProcess.send = counted  # type: ignore[assignment,method-assign]
    try:
        yield sent
    finally:
        process._NodeProcess.send = send  # type: ignore[method-assign]


def main(arguments: list[str]) -> None:
    """Synthesise, or count."""
    use_locked_node()
    if arguments[0] == "--count":
        counts = {number: count(int(number)) for number in arguments[1:]}
        sys.stdout.write(json.dumps(counts) + "\n")
    else:
        synthesise(int(arguments[0]))


if __name__ == "__main__":
    main(sys.argv[1:])
