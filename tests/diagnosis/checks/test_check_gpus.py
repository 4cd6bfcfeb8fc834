"""The checks that read nvidia-smi: GPU-001, GPU-002, GPU-003."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.diagnosis.checks import gpu_count, gpu_ecc, gpu_row_remap
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuTable, parse_nvidia_smi_csv
from bedplate.diagnosis.reading import Reading
from bedplate.diagnosis.verdict import Outcome, Verdict
from bedplate.hardware import InstanceType, instance_type
from tests.diagnosis import texts

Check = Callable[..., Verdict]
ECC = "ecc.errors.uncorrected.volatile.total"


def _reading(problem: str = "", **changes: object) -> Reading[GpuTable]:
    return Reading(parse_nvidia_smi_csv(texts.gpu_table(**changes)), problem)  # type: ignore[arg-type]


def _ask(check: Check, reading: Reading[GpuTable], kind: InstanceType) -> Verdict:
    return check(node="i-1", gpus=reading, instance_type=kind, evidence=["probe.json"])


@pytest.mark.parametrize("module", [gpu_count, gpu_ecc, gpu_row_remap])
def test_a_healthy_node_passes(module: object, p5en: InstanceType) -> None:
    """Eight GPUs without errors, with the evidence named."""
    verdict = _ask(module.check, _reading(), p5en)  # type: ignore[attr-defined]
    assert (verdict.outcome, verdict.evidence, verdict.findings) == (Outcome.PASS, ("probe.json",), ())


@pytest.mark.parametrize("module", [gpu_count, gpu_ecc, gpu_row_remap])
@pytest.mark.parametrize(
    "reading", [Reading(None, "it did not run"), _reading("it ended with status 9"), _reading(gpus=0)]
)
def test_a_table_that_is_not_there_or_not_trusted_is_no_pass(
    module: object, reading: Reading[GpuTable], p5en: InstanceType
) -> None:
    """No record, a tool that ended badly, no GPU in the table."""
    assert _ask(module.check, reading, p5en).outcome in {Outcome.ERROR, Outcome.FAIL}  # type: ignore[attr-defined]


def test_a_missing_gpu_is_named(p5en: InstanceType) -> None:
    """Seven of eight fail GPU-001 as a lost GPU, and leave the others without proof."""
    verdict = _ask(gpu_count.check, _reading(gpus=7), p5en)
    assert (verdict.outcome, verdict.cause, verdict.measured, verdict.expected) == (
        Outcome.FAIL,
        "gpu-lost",
        7,
        8,
    )
    assert _ask(gpu_ecc.check, _reading(gpus=7), p5en).outcome is Outcome.ERROR
    assert _ask(gpu_row_remap.check, _reading(gpus=7), p5en).outcome is Outcome.ERROR


def test_the_driver_s_word_that_a_gpu_is_lost_decides(p5en: InstanceType) -> None:
    """nvidia-smi ends badly and says so beside the table: a fault shown, not merely an error."""
    table = parse_nvidia_smi_csv(
        texts.gpu_table(gpus=7) + "Unable to determine the device handle for GPU: GPU is lost.\n"
    )
    verdict = _ask(gpu_count.check, Reading(table, "ended with status 15"), p5en)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "gpu-lost")


def test_a_table_that_contradicts_the_type_is_an_error(p5en: InstanceType) -> None:
    """Nine GPUs, or eight with one UUID between two, measure something else."""
    assert _ask(gpu_count.check, _reading(gpus=9), p5en).outcome is Outcome.ERROR
    doubled = _reading(changes={1: {"uuid": "GPU-00000000-0000-0000-0000-000000000000"}})
    assert _ask(gpu_count.check, doubled, p5en).outcome is Outcome.ERROR


@pytest.mark.parametrize(
    ("kind", "name", "memory"),
    [
        ("p5.48xlarge", "NVIDIA H100 80GB HBM3", "81559 MiB"),
        ("p5en.48xlarge", "NVIDIA H200", "143771 MiB"),
        ("p5en.48xlarge", "NVIDIA H200", "129946 MiB"),
        ("p6-b200.48xlarge", "NVIDIA B200", "183359 MiB"),
        ("p6-b300.48xlarge", "NVIDIA B300 SXM6 AC", "275040 MiB"),
        ("p6e-gb200.36xlarge", "NVIDIA GB200", "189471 MiB"),
        ("p6e-gb200.36xlarge", "NVIDIA GB200", "[N/A]"),
    ],
)
def test_the_types_own_model_passes(kind: str, name: str, memory: str) -> None:
    """By the names and sizes that nvidia-smi prints; no size is in the table for a GB200."""
    row = instance_type(kind)
    changes = {gpu: {"name": name, "memory.total": memory} for gpu in range(row.gpus)}
    verdict = _ask(gpu_count.check, _reading(gpus=row.gpus, changes=changes), row)
    assert (verdict.outcome, verdict.measured) == (Outcome.PASS, row.gpus)


@pytest.mark.parametrize(
    ("kind", "name", "memory"),
    [
        ("p5en.48xlarge", "NVIDIA A10G", "23028 MiB"),
        ("p5en.48xlarge", "NVIDIA A10G", "143771 MiB"),
        ("p5en.48xlarge", "NVIDIA A10G", "[N/A]"),
        ("p5en.48xlarge", "NVIDIA H100 80GB HBM3", "81559 MiB"),
        ("p5en.48xlarge", "NVIDIA GH200 144G HBM3e", "143771 MiB"),
        ("p5en.48xlarge", "NVIDIA H200", "129945 MiB"),
        ("p5.48xlarge", "NVIDIA H200", "143771 MiB"),
        ("p6-b200.48xlarge", "NVIDIA GB200", "189471 MiB"),
        ("p6-b200.48xlarge", "NVIDIA B300 SXM6 AC", "275040 MiB"),
        ("p6e-gb200.36xlarge", "NVIDIA B200", "183359 MiB"),
        ("p6e-gb200.36xlarge", "NVIDIA GB300", "284208 MiB"),
    ],
)
@pytest.mark.parametrize("every", [True, False])
def test_another_model_fails(kind: str, name: str, memory: str, every: bool) -> None:
    """On one GPU or on all: the model is a word of its own, and a tenth less memory is another part's."""
    row = instance_type(kind)
    changes = {
        gpu: {"name": name, "memory.total": memory}
        if every or gpu == 2
        else {"name": f"NVIDIA {row.gpu.model}", "memory.total": f"{row.gpu.memory_mib or 189471} MiB"}
        for gpu in range(row.gpus)
    }
    verdict = _ask(gpu_count.check, _reading(gpus=row.gpus, changes=changes), row)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "gpu-other-model")
    assert verdict.measured == (0 if every else row.gpus - 1)
    assert "GPU 2 at 00000000:55:00.0" in verdict.excerpt


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "[N/A]"},
        {"name": "[Unknown Error]"},
        {"name": ""},
        {"name": "NVIDIA Graphics Device"},
        {"memory.total": "[N/A]"},
    ],
)
def test_a_gpu_that_does_not_tell_its_model_is_an_error(changes: dict[str, str], p5en: InstanceType) -> None:
    """No answer is not the right answer; beside a GPU that is lost, the loss is what is told."""
    assert _ask(gpu_count.check, _reading(changes={2: changes}), p5en).outcome is Outcome.ERROR
    assert _ask(gpu_count.check, _reading(gpus=7, changes={2: changes}), p5en).cause == "gpu-lost"


def test_uncorrected_errors_fail(p5en: InstanceType) -> None:
    """One GPU with errors fails the node, and the lines say which."""
    verdict = _ask(gpu_ecc.check, _reading(changes={5: {ECC: "3"}}), p5en)
    assert (verdict.outcome, verdict.cause, verdict.measured) == (Outcome.FAIL, "ecc-uncorrected", 3)
    assert verdict.excerpt.startswith("GPU 5 at 00000000:58:00.0")


def test_ecc_that_is_off_fails_and_blames_no_hardware(p5en: InstanceType) -> None:
    """Without ECC no error would show; the remedy is a setting."""
    verdict = _ask(gpu_ecc.check, _reading(changes={0: {"ecc.mode.current": "Disabled", ECC: "[N/A]"}}), p5en)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, None)
    assert "nvidia-smi -e 1" in verdict.remedy


@pytest.mark.parametrize("field", [ECC, "ecc.mode.current"])
def test_a_gpu_that_does_not_tell_its_ecc_is_an_error(field: str, p5en: InstanceType) -> None:
    """N/A is not zero."""
    assert _ask(gpu_ecc.check, _reading(changes={2: {field: "[N/A]"}}), p5en).outcome is Outcome.ERROR


def test_a_failed_remap_fails(p5en: InstanceType) -> None:
    """NVIDIA's criterion for returning the part."""
    verdict = _ask(gpu_row_remap.check, _reading(changes={7: {"remapped_rows.failure": "Yes"}}), p5en)
    assert (verdict.outcome, verdict.cause) == (Outcome.FAIL, "row-remap-failure")


def test_a_pending_remap_is_a_finding_on_a_pass(p5en: InstanceType) -> None:
    """It takes effect at the next reset, and asks for one."""
    changes = {7: {"remapped_rows.pending": "Yes", "remapped_rows.uncorrectable": "1"}}
    verdict = _ask(gpu_row_remap.check, _reading(changes=changes), p5en)
    assert verdict.outcome is Outcome.PASS
    assert [finding.severity.value for finding in verdict.findings] == ["warning", "info"]
    assert "Reboot" in verdict.findings[0].remedy


@pytest.mark.parametrize("field", ["remapped_rows.failure", "remapped_rows.pending"])
def test_a_gpu_that_does_not_tell_its_remaps_is_an_error(field: str, p5en: InstanceType) -> None:
    """N/A is not No."""
    assert _ask(gpu_row_remap.check, _reading(changes={2: {field: "[N/A]"}}), p5en).outcome is Outcome.ERROR


def test_what_nvidia_smi_says_beside_its_table_rides_on_the_pass(p5en: InstanceType) -> None:
    """A corrupted inforom is worth knowing, and no lost GPU."""
    table = parse_nvidia_smi_csv(texts.gpu_table() + "WARNING: infoROM is corrupted at gpu 0000:5A:00.0\n")
    verdict = _ask(gpu_count.check, Reading(table), p5en)
    assert verdict.outcome is Outcome.PASS
    assert [finding.severity.value for finding in verdict.findings] == ["warning"]
