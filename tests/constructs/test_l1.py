"""L1 classes without their services' bindings come out as the bindings' own would."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICES = (
    "aps",
    "ec2",
    "efs",
    "fsx",
    "iam",
    "kms",
    "lambda",
    "logs",
    "pcs",
    "rds",
    "s3",
    "secretsmanager",
    "sns",
    "ssm",
)

PROGRAM = """
import json, sys
from pathlib import Path
{imports}
from bedplate.stacks.entry import main
code = main(base=Path(sys.argv[1]))
print(json.dumps([name for name in sys.modules if name.startswith("aws_cdk.aws_")]))
sys.exit(code)
"""


def _synthesise(environment: Path, *, outdir: Path, imports: str = "") -> list[str]:
    """Build the stacks in a process of its own; return the service bindings that were imported."""
    from bedplate.stacks.entry import use_locked_node

    use_locked_node()
    base = environment.parents[1]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(imports=imports), str(base)],
        env={
            "CDK_CONTEXT_JSON": json.dumps({"env": environment.stem, **_flags()}),
            "CDK_OUTDIR": str(outdir),
            "CDK_VALIDATION": "false",
            "PATH": "/usr/bin:/bin",
            "HOME": str(Path.home()),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    modules: list[str] = json.loads(done.stdout)
    return modules


def _flags() -> dict[str, object]:
    context: dict[str, object] = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]
    return context


def _templates(folder: Path) -> dict[str, object]:
    return {
        path.name: json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.template.json")
    }


@pytest.mark.slow
@pytest.mark.parametrize("file", sorted((ROOT / "environments").glob("*.yaml")), ids=lambda path: path.stem)
def test_templates_are_those_of_the_real_bindings(file: Path, tmp_path: Path) -> None:
    """No property is lost or renamed: with and without the bindings, every template says the same. Without
    them none is loaded, but for EKS, whose cluster is the CDK's own.
    """
    loaded = _synthesise(file, outdir=tmp_path / "without")
    assert bool(loaded) == ("kind: eks" in file.read_text(encoding="utf-8"))
    imports = "\n".join(f"import aws_cdk.aws_{service}" for service in SERVICES)
    assert len(_synthesise(file, outdir=tmp_path / "with", imports=imports)) >= len(SERVICES)
    assert _templates(tmp_path / "without") == _templates(tmp_path / "with") != {}


def test_names_that_are_no_l1_class_are_refused() -> None:
    """A library class, a member that is no property and an attribute that is none raise AttributeError."""
    from bedplate.constructs.l1 import Service

    service = Service("aws_batch")
    with pytest.raises(AttributeError, match="L1 classes only"):
        service.JobQueue  # noqa: B018
    with pytest.raises(AttributeError, match="CfnJobQueue has no from_arn"):
        service.CfnJobQueue.from_arn  # noqa: B018


def test_members_take_the_kernels_names_and_none_is_absent() -> None:
    """Snake case becomes the camel case of the CDK's kernel, digits and all."""
    from bedplate.constructs.l1 import Service

    made = Service("aws_batch").CfnJobQueue.SomeProperty(
        s3_bucket="b", ipv6_cidr_block="c", kms_master_key_id=None, type="SLURM"
    )
    assert made == {"s3Bucket": "b", "ipv6CidrBlock": "c", "type": "SLURM"}


def test_every_keyword_of_our_constructs_is_spelled_as_the_bindings_spell_it() -> None:
    """Where the bindings' names are not the plain camel case, ours are theirs all the same."""
    import aws_cdk

    from bedplate.constructs.l1 import _camel

    used = {
        keyword
        for path in (ROOT / "bedplate" / "constructs").glob("*.py")
        for keyword in re.findall(r"\b([a-z][a-z0-9_]*)=", path.read_text(encoding="utf-8"))
    }
    wrong = {
        (service, name, kernel_name)
        for service in SERVICES
        for name, kernel_name in re.findall(
            r'"([a-z0-9_]+)": "([a-zA-Z0-9]+)"',
            (Path(aws_cdk.__file__).parent / f"aws_{service}" / "__init__.py").read_text(encoding="utf-8"),
        )
        if name in used and kernel_name.lower() == name.replace("_", "") and _camel(name) != kernel_name
    }
    assert wrong == set()


@pytest.mark.usefixtures("_cdk")
def test_an_app_with_the_bindings_gets_their_instances() -> None:
    """Who has imported a service's bindings can ask ``isinstance``."""
    from aws_cdk import App, Stack, aws_sqs

    from bedplate.constructs.l1 import Service

    queue = Service("aws_sqs").CfnQueue(Stack(App(), "foreign"), "Queue")
    assert isinstance(queue, aws_sqs.CfnQueue)
