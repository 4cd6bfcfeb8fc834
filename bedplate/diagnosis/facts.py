"""What a check of one node may look at: the node's answer, read once, beside what it must show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bedplate.diagnosis import gpu_tools, tools
from bedplate.diagnosis.expected import NodeExpectation
from bedplate.diagnosis.parsers.dcgm_diag import parse_dcgm_diag
from bedplate.diagnosis.parsers.dcgm_results import DcgmDiag
from bedplate.diagnosis.parsers.dcgmi_nvlink import LinkTable, parse_dcgmi_nvlink
from bedplate.diagnosis.parsers.efa_sysfs import EfaSysfs, parse_efa_sysfs
from bedplate.diagnosis.parsers.fi_info import FabricInfo, parse_fi_info
from bedplate.diagnosis.parsers.kernel_log import KernelLog, parse_kernel_log
from bedplate.diagnosis.parsers.mount_list import MountList, parse_mount_list
from bedplate.diagnosis.parsers.nvidia_smi_csv import GpuTable, parse_nvidia_smi_csv
from bedplate.diagnosis.parsers.nvidia_smi_details import DetailsLog
from bedplate.diagnosis.parsers.nvidia_smi_xml import parse_nvidia_smi_xml
from bedplate.diagnosis.parsers.problem import ParseError
from bedplate.diagnosis.reading import Reading, read_tool
from bedplate.diagnosis.storage_tools import MOUNTS
from bedplate.hardware import InstanceType


@dataclass(frozen=True)
class NodeFacts:
    """One node's answer to ``probe`` or ``exercise`` with the hardware row and the promises it is held
    against. What several checks need is read once, when the first of them asks; what one check alone needs
    it reads itself, by ``read_tool(answer=facts.answer, …)``.
    """

    node: str
    answer: Mapping[str, object]
    instance_type: InstanceType
    expected: NodeExpectation = field(default_factory=NodeExpectation)
    evidence: tuple[str, ...] = ()

    @cached_property
    def gpus(self) -> Reading[GpuTable]:
        """``nvidia-smi``'s table of GPUs."""
        return read_tool(
            answer=self.answer, argv=tools.NVIDIA_SMI, parse=parse_nvidia_smi_csv, with_stderr=True
        )

    @cached_property
    def gpu_details(self) -> Reading[DetailsLog]:
        """``nvidia-smi -q -x``: links, clocks, limits and settings of every GPU."""
        return read_tool(answer=self.answer, argv=gpu_tools.NVIDIA_SMI_DETAILS, parse=parse_nvidia_smi_xml)

    @cached_property
    def kernel_log(self) -> Reading[KernelLog]:
        """XIDs and SXids of the kernel log since boot."""
        return read_tool(answer=self.answer, argv=tools.KERNEL_LOG, parse=parse_kernel_log)

    @cached_property
    def nvlinks(self) -> Reading[LinkTable]:
        """DCGM's table of NVLinks."""
        return read_tool(answer=self.answer, argv=tools.DCGMI_NVLINK, parse=parse_dcgmi_nvlink)

    @cached_property
    def libfabric(self) -> Reading[FabricInfo]:
        """libfabric's list of EFA domains."""
        return read_tool(answer=self.answer, argv=tools.FI_INFO, parse=parse_fi_info)

    @cached_property
    def efa_sysfs(self) -> Reading[EfaSysfs]:
        """The probe's listing of /sys/class/infiniband."""
        if self.answer.get("infiniband") is None:
            return Reading(None, "the answer holds no listing of /sys/class/infiniband")
        try:
            return Reading(parse_efa_sysfs(self.answer["infiniband"]))
        except ParseError as error:
            return Reading(None, str(error))

    @cached_property
    def dcgm_diag(self) -> Reading[DcgmDiag]:
        """``dcgmi diag`` at the level that was asked for."""
        argv = tools.dcgm_diag_argv(level=self.expected.dcgm_level)
        return read_tool(answer=self.answer, argv=argv, parse=parse_dcgm_diag)

    @cached_property
    def mounts(self) -> Reading[MountList]:
        """What is mounted where."""
        return read_tool(answer=self.answer, argv=MOUNTS, parse=parse_mount_list)
