"""The catalogue's rows: what NVIDIA still documents as in use. Codes that it lists as unused are left out.

Each row: code, NVIDIA's name, meaning in our words, NVIDIA's action and follow-up. What this project makes of
a code is another table (``bedplate.hardware.xids.policies``).
"""

from __future__ import annotations

Row = tuple[int, str, str, str, str]

_ASK = "CONTACT_SUPPORT"
_APP = "CHECK_APP/CUDA"
_SW = "INVESTIGATE_SW"
_N5 = "WORKFLOW_NVLINK5_ERR"

ROWS: tuple[Row, ...] = (
    (8, "FIFO_ERROR_IDLE_TIMEOUT", "GPU stopped processing", "RESTART_APP", _ASK),
    (11, "GR_ERROR_MISSING_HW", "invalid or corrupted push buffer", "RESTART_APP", _APP),
    (
        13,
        "GR_EXCEPTION",
        "exception in the graphics engine, mostly a fault of the program",
        "RESTART_APP",
        "WORKFLOW_XID_13",
    ),
    (25, "GR_ILLEGAL_NOTIFY", "invalid push buffer", "RESTART_APP", _APP),
    (
        31,
        "FIFO_ERROR_MMU_ERR_FLT",
        "GPU memory page fault, mostly a fault of the program",
        "RESTART_APP",
        "WORKFLOW_XID_31",
    ),
    (32, "PBDMA_ERROR", "invalid or corrupted push buffer", "RESTART_APP", _APP),
    (37, "FECS_ERR_UNIMP_FIRMWARE_METHOD", "driver firmware error", "IGNORE", _APP),
    (38, "FECS_ERR_WATCHDOG_TIMEOUT", "driver firmware error", "IGNORE", _ASK),
    (43, "RESETCHANNEL_VERIF_ERROR", "a channel was reset after a program's fault", "IGNORE", _ASK),
    (44, "GR_FAULT_DURING_CTXSW", "graphics engine fault in a context switch", "IGNORE", _ASK),
    (
        45,
        "PREEMPTIVE_REMOVAL",
        "channels removed because of an earlier error",
        "WORKFLOW_XID_45",
        "alone: RESTART_FM; with another Xid: IGNORE",
    ),
    (46, "GPU_TIMEOUT_ERROR", "GPU stopped processing", "RESET_GPU", _ASK),
    (48, "GPU_ECC_DBE", "double-bit ECC error", "WORKFLOW_XID_48", "WORKFLOW_XID_48"),
    (
        54,
        "PWR_REDUCED_CLOCKING",
        "auxiliary power is not connected to the GPU board",
        "CHECK_MECHANICALS",
        _ASK,
    ),
    (60, "SEC2_ERROR", "video processor exception", "RESTART_APP", _SW),
    (62, "PMU_HALT_ERROR", "internal micro-controller halted", "RESET_GPU", _ASK),
    (
        63,
        "INFOROM_DRAM_RETIREMENT_EVENT",
        "a row remap (or page retirement) was recorded successfully; it takes effect at the next reset",
        "IGNORE",
        "IGNORE",
    ),
    (
        64,
        "INFOROM_DRAM_RETIREMENT_FAILURE",
        "a row remap (or page retirement) could not be recorded: bad memory stays in use",
        "RESET_GPU",
        _ASK,
    ),
    (66, "FECS_ERR_REG_ACCESS_VIOLATION", "illegal access by the driver", "IGNORE", _SW),
    (67, "FECS_ERR_VERIF_VIOLATION", "illegal access by the driver", "IGNORE", _ASK),
    (69, "GR_CLASS_ERROR", "graphics engine class error", "RESTART_APP", _APP),
    (
        74,
        "NVLINK_ERROR",
        "NVLink error; the register bits tell a local fault from one of the peer or the cable",
        "WORKFLOW_NVLINK_ERR",
        _ASK,
    ),
    (78, "VGPU_START_ERROR", "vGPU failed to start", "UPDATE_SWFW", "UPDATE_SWFW"),
    (
        79,
        "GPU_HAS_FALLEN_OFF_THE_BUS",
        "the driver cannot reach the GPU over PCIe; its metrics vanish",
        "RESTART_BM",
        _ASK,
    ),
    (80, "PBDMA_PUSHBUFFER_CRC_MISMATCH", "corrupted data sent to the GPU", "RESTART_APP", _APP),
    (86, "OFA0_ERROR", "optical flow exception", "RESTART_APP", _ASK),
    (92, "EXCESSIVE_SBE_INTERRUPTS", "high rate of single-bit ECC errors", "IGNORE", _ASK),
    (93, "INFOROM_ERASE_LIMIT_EXCEEDED", "InfoROM is worn beyond its limit", "IGNORE", _ASK),
    (
        94,
        "CONTAINED_ERROR",
        "contained memory error: only the process that touched the page died",
        "RESTART_APP",
        "IGNORE (sympathetic)",
    ),
    (
        95,
        "UNCONTAINED_ERROR",
        "uncontained memory error: other work on the GPU may be corrupt",
        "RESET_GPU",
        "IGNORE (sympathetic)",
    ),
    (109, "CTXSW_TIMEOUT_ERROR", "context switch timed out", "RESET_GPU", _ASK),
    (110, "SEC_FAULT_ERROR", "security fault", "RESET_GPU", _SW),
    (119, "GSP_RPC_TIMEOUT", "call to the GPU system processor timed out", "RESET_GPU", _SW),
    (120, "GSP_ERROR", "error in the GPU system processor", "RESET_GPU", _SW),
    (121, "C2C_ERROR", "corrected error on the chip-to-chip link", "IGNORE", _ASK),
    (136, "ALI_TRAINING_FAIL", "NVLink training failed", "RESET_GPU", "INVESTIGATE_LINK_SI"),
    (137, "NVLINK_PRIV_ERR", "NVLink privilege error, a peer was not mapped", "IGNORE", "XID_137_FLOW"),
    (139, "OFA1_ERROR", "optical flow error", "RESTART_APP", _ASK),
    (140, "UNRECOVERABLE_ECC_ERROR_ESCAPE", "unrecovered ECC error", "RESET_GPU", _ASK),
    (141, "FAST_PATH_ERROR", "CUDA fast path error", "IGNORE", _ASK),
    (142, "NVENC3_ERROR", "video encoder error", _ASK, ""),
    (143, "GPU_INIT_ERROR", "GPU failed to initialise", "RESET_GPU", _ASK),
    (144, "NVLINK_SAW_ERROR", "NVLink 5 error in unit SAW", _N5, _N5),
    (145, "NVLINK_RLW_ERROR", "NVLink 5 error in unit RLW", _N5, _N5),
    (146, "NVLINK_TLW_ERROR", "NVLink 5 error in unit TLW", _N5, _N5),
    (147, "NVLINK_TREX_ERROR", "NVLink 5 error in unit TREX", _N5, _N5),
    (148, "NVLINK_NVLPW_CTRL_ERROR", "NVLink 5 error in unit NVLPW_CTRL", _N5, _N5),
    (149, "NVLINK_NETIR_ERROR", "NVLink 5 error in unit NETIR: a link went down, or bit errors", _N5, _N5),
    (150, "NVLINK_MSE_ERROR", "NVLink 5 error in unit MSE", _N5, _N5),
    (151, "KEY_ROTATION_ERROR", "key rotation failed", "RESTART_VM", _ASK),
    (152, "DLA_SMMU_ERROR", "DLA memory unit error", "IGNORE", _ASK),
    (153, "DLA_TIMEOUT", "DLA timed out", "IGNORE", _ASK),
    (
        154,
        "GPU_RECOVERY_ACTION_CHANGED",
        "the driver states what this GPU needs now",
        "XID_154",
        "informs about another Xid",
    ),
    (155, "NVLINK_SW_DEFINED_ERROR", "NVLink error defined by software", "RESET_GPU", "INVESTIGATE_SW_USER"),
    (156, "RESOURCE_RETIREMENT_EVENT", "a resource of the GPU was retired", "RESET_GPU", "IGNORE"),
    (157, "RESOURCE_RETIREMENT_FAILURE", "a resource could not be retired", "IGNORE", _ASK),
    (158, "GPU_FATAL_TIMEOUT", "fatal timeout in the GPU", "RESET_GPU", _ASK),
    (
        159,
        "CHI_NON_DATA_ERROR",
        "error on the coherent link to the CPU",
        "CHECK_UVM",
        "SYMPATHETIC_REPORT_SOLO",
    ),
    (160, "CHANNEL_RETIREMENT_EVENT", "a channel was retired", "IGNORE", _SW),
    (161, "CHANNEL_RETIREMENT_FAILURE", "a channel could not be retired", "IGNORE", _SW),
    (162, "PSHC_REENGAGED", "power smoothing is back", "", ""),
    (163, "PSHC_DISENGAGED", "power smoothing is off", "", ""),
    (164, "PSHC_LOW_LIFETIME", "power smoothing circuit is near the end of its life", "", ""),
    (165, "PSHC_ZERO_LIFETIME", "power smoothing circuit is at the end of its life", "", ""),
    (166, "NVLINK_SECURE_CRYPTO_ERR", "traffic before the link was set up for encryption", "", ""),
    (167, "PCIE_FATAL_TIMEOUT", "fatal timeout on PCIe", "", ""),
    (168, "REDUCED_GPU_MEMORY_CAPACITY", "errors in the write-protected region of memory", "", ""),
    (169, "SEC2_HALT_ERROR", "internal micro-controller halted", "", ""),
    (170, "NVLINK_SECURE_OTHER", "interrupt in confidential mode", "", ""),
    (171, "UNCORRECTABLE_DRAM_ERROR", "detail to 48: the fault is in DRAM", "", ""),
    (172, "UNCORRECTABLE_SRAM_ERROR", "detail to 48: the fault is in SRAM", "", ""),
)

_ENGINES = (
    (39, "CE0"),
    (40, "CE1"),
    (41, "CE2"),
    (68, "NVDEC0"),
    (70, "CE3"),
    (71, "CE4"),
    (72, "CE5"),
    (75, "CE6"),
    (76, "CE7"),
    (77, "CE8"),
    (82, "NVJPG0"),
    (83, "NVDEC1"),
    (84, "NVDEC2"),
    (85, "CE9"),
    (88, "NVDEC3"),
    (89, "NVDEC4"),
    (96, "NVDEC5"),
    (97, "NVDEC6"),
    (98, "NVDEC7"),
    *((99 + index, f"NVJPG{index + 1}") for index in range(7)),
    *((126 + index, f"CE{index + 10}") for index in range(10)),
)
"""Copy, decode and image engines: one Xid each, all of one kind."""

ENGINE_ROWS: tuple[Row, ...] = tuple(
    (code, f"{engine}_ERROR", f"exception in engine {engine}", "RESTART_APP", _ASK)
    for code, engine in _ENGINES
)
