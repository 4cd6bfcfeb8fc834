"""Pages of explanations for the tables that have none of their own.

``python -m bedplate.cli.checks_pages docs`` writes them; a test holds the committed pages against this.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bedplate.cli.registries import rows_of
from bedplate.explanation_page import explanation_page

PAGES = {
    "aws": (
        "Errors of AWS",
        "What a command says when AWS refuses, or is out of reach.",
        "bedplate.validation.aws_rows",
    ),
    "actions": (
        "Errors of actions",
        "What `bedplate act` and `bedplate undo` refuse, and why.",
        "bedplate.validation.actions.rows",
    ),
    "baselines": (
        "Errors of baselines",
        "What `bedplate baseline` and `bedplate validate` say of what a cluster has reached before.",
        "bedplate.validation.baselines.rows",
    ),
    "cdk-app": (
        "Errors of the CDK app",
        "What `cdk synth` says before AWS is asked.",
        "bedplate.stacks.rows",
    ),
    "command-line": ("Errors of the command line", "What `bedplate` itself says.", "bedplate.cli.catalogue"),
    "jobs": ("Errors of jobs", "What `bedplate job` refuses.", "bedplate.slurm.jobs.rows"),
    "kubernetes-api": (
        "Errors of a cluster's API server",
        "What a command says when the API server of a Kubernetes cluster refuses, or is out of reach.",
        "bedplate.validation.transports.kubernetes.rows",
    ),
    "lock": (
        "Errors of the lock file",
        "What `bedplate lock`, `cdk synth` and others say of the file that holds what AWS answered once.",
        "bedplate.capacity.lock_rows",
    ),
    "preflight": (
        "Checks before a deploy",
        "What `bedplate preflight` asks AWS before anything is bought.",
        "bedplate.validation.preflight",
    ),
    "results": (
        "Errors of result files",
        "What `bedplate report` says of a file.",
        "bedplate.validation.reports.rows",
    ),
    "runs": (
        "Errors of runs",
        "What `bedplate validate` and the runner in the account say of a run that cannot begin or go on.",
        "bedplate.validation.run_rows",
    ),
    "sandbox": (
        "Errors of the sandbox",
        "What the local AWS stand-in, its simulated fleet and the demonstration say.",
        "bedplate.sandbox.rows",
    ),
}
"""Page below ``docs/checks`` → title, a sentence on what it holds, the module whose rows are on it."""

_ENDING = (
    "`bedplate explain ID` prints the same text. This page is made by\n"
    "`python -m bedplate.cli.checks_pages docs`."
)


def pages() -> dict[str, str]:
    """Return each page's text by its file name below ``docs/checks``."""
    return {
        f"{name}.md": explanation_page(
            title=title, intro=f"{intro}\n{_ENDING}\n", rows=rows_of(module).values()
        )
        for name, (title, intro, module) in PAGES.items()
    }


def main(docs: Path) -> None:
    """Write all pages below ``docs/checks``."""
    for name, text in pages().items():
        (docs / "checks" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
