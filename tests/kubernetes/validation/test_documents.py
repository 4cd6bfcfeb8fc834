"""What validation puts into a cluster is legal there, asks for no more than it needs, and disturbs nobody."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest

from bedplate.hardware import INSTANCE_TYPES, instance_type
from bedplate.kubernetes.validation.indexed_job import indexed_job
from bedplate.kubernetes.validation.names import PLACE_GATE, PRIORITY_CLASS, RUN_LABEL, selector
from bedplate.kubernetes.validation.node_check import PRIVILEGES, node_check_pod, script
from bedplate.kubernetes.validation.placement import placed
from bedplate.kubernetes.validation.priority import priority_class
from bedplate.kubernetes.validation.program import ProgramTooLargeError, program_map
from bedplate.kubernetes.validation.requests import whole_node
from bedplate.node.kubernetes.names import GATE_TAINT, GPU_TAINT

IMAGE = "123456789012.dkr.ecr.us-west-2.amazonaws.com/tests@sha256:" + "0" * 64


def _pod(**changes: object) -> dict:
    settings = {
        "image": IMAGE,
        "program": "bedplate-x",
        "arguments": ("probe", "--nonce", "0123456789"),
        "deadline_seconds": 60,
        "tolerated": (GPU_TAINT,),
    }
    return node_check_pod(**{**settings, **changes})


def _job(pods: int = 3, **changes: object) -> dict:
    return indexed_job(name="bedplate-x", run_id="r1", pods=pods, pod=_pod(**changes), deadline_seconds=600)


def _refusals(document: dict) -> list[str]:
    told = []
    for version in ("1.34", "1.35", "1.36"):
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            told.append(f"{version}: {error.message}")
    return told


def test_every_document_is_legal_in_the_versions_that_we_offer() -> None:
    """By Kubernetes' own schemas, without a field that they do not know."""
    assert _refusals(priority_class()) == []
    assert _refusals(program_map(name="bedplate-x", run_id="r1", files={"node.pyz": b"\x00"})) == []
    assert _refusals(_job()) == []
    assert _refusals(_job(resources=whole_node(instance_type("p5.48xlarge")).resources)) == []
    assert len(_refusals({**_job(), "unknown": 1})) == 3


def test_a_pod_waits_for_its_node_and_gets_that_node_alone() -> None:
    """Born gated and with no wish of its own, so that the API takes a node's name later, with the gate."""
    pod = _job()["spec"]["template"]["spec"]
    assert pod["schedulingGates"] == [{"name": PLACE_GATE}]
    assert "affinity" not in pod
    assert "nodeName" not in pod
    spec = placed("ip-10-0-1-7.ec2.internal")["spec"]
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = required["nodeSelectorTerms"]
    assert term == {
        "matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["ip-10-0-1-7.ec2.internal"]},
        ]
    }
    assert spec["schedulingGates"] is None


def test_a_job_has_an_index_a_node_and_tries_each_once() -> None:
    """One that fails holds up no other, and the cluster ends what nobody ends."""
    spec = _job(5)["spec"]
    assert (spec["completionMode"], spec["completions"], spec["parallelism"]) == ("Indexed", 5, 5)
    assert (spec["backoffLimitPerIndex"], spec["maxFailedIndexes"]) == (0, 5)
    assert spec["activeDeadlineSeconds"] == 600
    assert spec["ttlSecondsAfterFinished"] > 0
    assert spec["template"]["spec"]["restartPolicy"] == "Never"
    with pytest.raises(ValueError, match="no nodes"):
        _job(0)


def test_no_pod_of_ours_evicts_another() -> None:
    """Its priority is under every job's, and a pod of it makes no room."""
    assert priority_class()["preemptionPolicy"] == "Never"
    assert priority_class()["value"] < -10
    assert priority_class()["globalDefault"] is False
    assert _pod()["priorityClassName"] == PRIORITY_CLASS


def test_every_privilege_has_its_reason_and_nothing_else_is_open() -> None:
    """One field each; no token of the cluster, no other mount of the host."""
    pod = _pod()
    (container,) = pod["containers"]
    used = {name for name in ("hostPID", "hostNetwork", "hostIPC") if pod.get(name)}
    used |= {f"hostPath {one['hostPath']['path']}" for one in pod["volumes"] if "hostPath" in one}
    used |= {"privileged"} if container["securityContext"]["privileged"] else set()
    assert used == set(PRIVILEGES)
    assert pod["automountServiceAccountToken"] is False


def test_a_check_that_only_looks_asks_for_no_gpu() -> None:
    """It runs beside jobs; one that loads asks for all that the type has, so that no job comes beside it."""
    assert _pod()["containers"][0]["resources"]["limits"] == {}
    loads = _pod(resources=whole_node(instance_type("p5.48xlarge")).resources)["containers"][0]["resources"]
    assert loads["limits"] == {"nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"}
    assert {name: loads["requests"][name] for name in loads["limits"]} == loads["limits"]


@pytest.mark.parametrize("name", sorted(INSTANCE_TYPES))
def test_what_a_node_offers_is_held_to_the_hardware_table(name: str) -> None:
    """Exactly so many; one fewer or one more is told with both figures."""
    hardware = instance_type(name)
    whole = whole_node(hardware)
    offered = {"nvidia.com/gpu": str(hardware.gpus), "vpc.amazonaws.com/efa": str(hardware.efa_count)}
    assert whole.lacking(offered) == ""
    fewer = {**offered, "nvidia.com/gpu": str(hardware.gpus - 1)}
    assert whole.lacking(fewer) == (
        f"it offers {hardware.gpus - 1} nvidia.com/gpu, its type has {hardware.gpus}"
    )
    assert "vpc.amazonaws.com/efa" in whole.lacking({**offered, "vpc.amazonaws.com/efa": "99"})


def test_taints_are_tolerated_by_name() -> None:
    """Those that were chosen, and no other."""
    keys = [one["key"] for one in _pod(tolerated=(GPU_TAINT, GATE_TAINT))["tolerations"]]
    assert keys == sorted([GPU_TAINT, GATE_TAINT])
    assert all("key" in one for one in _pod()["tolerations"])


def test_everything_is_found_again_by_its_label() -> None:
    """By run, and of all runs."""
    job = _job()
    assert job["metadata"]["labels"] == job["spec"]["template"]["metadata"]["labels"]
    assert job["metadata"]["labels"][RUN_LABEL] == "r1"
    assert selector("r1") == "bedplate.dev/part=validation,bedplate.dev/run=r1"
    assert selector() == "bedplate.dev/part=validation"


def test_a_program_that_does_not_fit_is_refused_here() -> None:
    """A ConfigMap holds a mebibyte."""
    carried = program_map(name="m", run_id="r", files={"a": b"\x00\xff"})
    assert base64.b64decode(carried["binaryData"]["a"]) == b"\x00\xff"
    with pytest.raises(ProgramTooLargeError, match="1048577"):
        program_map(name="m", run_id="r", files={"a": bytes((1 << 20) + 1)})


def _run(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The pod's own script, with a chroot that only says where it went and this Python as the host's."""
    shim = folder / "bin"
    shim.mkdir()
    (shim / "chroot").write_text('#!/bin/sh\necho "chroot $1" >&2; shift; exec "$@"\n')
    (shim / "chroot").chmod(0o755)
    (folder / "node.py").write_text(program)
    text = script(root="/host", program=str(folder / "node.py"), told=str(folder / "told"))
    return subprocess.run(
        ["/bin/sh", "-c", text.replace("/usr/bin/python3", sys.executable), "bedplate-node", *arguments],
        env={"PATH": f"{shim}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_pod_s_script_runs_the_program_and_keeps_its_two_streams_apart(tmp_path: Path) -> None:
    """Words arrive as they are, spaces and signs too; what standard error says is no part of the log."""
    program = "import sys; print(sys.argv[1:]); print('a reason', file=sys.stderr); sys.exit(3)"
    ran = _run(tmp_path, program, "20", "probe", "--x", "a b; $c")
    assert ran.stdout.strip() == str(["probe", "--x", "a b; $c"])
    assert (ran.returncode, ran.stderr) == (3, "")
    assert (tmp_path / "told").read_text() == "chroot /host\na reason\n"


def test_the_pod_s_script_ends_a_program_at_its_deadline(tmp_path: Path) -> None:
    """With the status that tells an overrun from a failure."""
    assert _run(tmp_path, "import time; time.sleep(30)", "1").returncode == 124


def test_a_dollar_in_an_argument_is_no_variable_of_kubernetes() -> None:
    """Kubernetes would put the value of $(PATH) there."""
    command = _pod(arguments=("probe", "--x", "$(PATH)"))["containers"][0]["command"]
    assert command[-1] == "$$(PATH)"
