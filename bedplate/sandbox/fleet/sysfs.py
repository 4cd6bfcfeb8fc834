"""The kernel's view of RDMA devices in a node's root tree."""

from __future__ import annotations

import shutil

from bedplate.sandbox.fleet.devices import efa_device_id, efa_name, efa_pci_address, other_rdma_devices
from bedplate.sandbox.fleet.truth import NodeTruth

EFA_VENDOR = "0x1d0f"

# The names that the EFA driver exports (linux drivers/infiniband/hw/efa/efa_verbs.c).
_COUNTER_NAMES = """
tx_bytes tx_pkts rx_bytes rx_pkts rx_drops send_bytes send_wrs recv_bytes recv_wrs rdma_read_wrs
rdma_read_bytes rdma_read_wr_err rdma_read_resp_bytes rdma_write_wrs rdma_write_bytes
rdma_write_wr_err rdma_write_recv_bytes retrans_bytes retrans_pkts retrans_timeout_events
impaired_remote_conn_events unresponsive_remote_events
"""


def write_devices(truth: NodeTruth) -> None:
    """Write ``sys/class/infiniband``: a lost EFA device is absent, a slow one looks like any other.

    Devices that stay are not touched, for the node's scripts may be reading them.
    """
    folder = truth.root / "sys/class/infiniband"
    hardware = truth.hardware
    if not hardware.efa_count:
        return
    folder.mkdir(parents=True, exist_ok=True)
    device_id = efa_device_id(hardware)
    rows = [
        (efa_name(hardware, index), EFA_VENDOR, device_id, "efa", efa_pci_address(hardware, index))
        for index in truth.efas
    ]
    rows += [(*row, "0000:00:1f.0") for row in other_rdma_devices(hardware)]
    for gone in {path.name for path in folder.iterdir()} - {row[0] for row in rows}:
        shutil.rmtree(folder / gone)
    for name, vendor, device, driver, address in rows:
        if not (folder / name).exists():
            _write_device(truth, name, vendor, device, driver, address)


def _write_device(truth: NodeTruth, name: str, vendor: str, device: str, driver: str, address: str) -> None:
    folder = truth.root / "sys/class/infiniband" / name
    pci = folder / "device"
    counters = folder / "ports/1/hw_counters"
    pci.mkdir(parents=True)
    counters.mkdir(parents=True)
    (pci / "vendor").write_text(vendor + "\n", encoding="ascii")
    (pci / "device").write_text(device + "\n", encoding="ascii")
    (pci / "uevent").write_text(f"DRIVER={driver}\nPCI_SLOT_NAME={address}\n", encoding="ascii")
    drivers = truth.root / "sys/bus/pci/drivers" / driver
    drivers.mkdir(parents=True, exist_ok=True)
    (pci / "driver").symlink_to(drivers)
    (folder / "ports/1/state").write_text("4: ACTIVE\n", encoding="ascii")
    if driver == "efa":
        for counter in _COUNTER_NAMES.split():
            (counters / counter).write_text("0\n", encoding="ascii")
