"""Played nodes keep exporters by the real step, and collect by the real program."""

from __future__ import annotations

from dataclasses import replace

from bedplate.node.bootstrap.collection import Collection
from bedplate.sandbox.fleet import Fleet

from .conftest import LOGIN, MakeFleet, bootstrap, fault, node_id
from .test_fleet_boot import outcomes, record_of

TOLD = Collection("https://aps.example/api/v1/remote_write", "us-west-2", "bedplate-test", "usw2-az2")


def collected(fleet: Fleet, node: str) -> str:
    """Every text file after a run, behind the command's own words."""
    command = (
        "python3 $BEDPLATE_ROOT/opt/bedplate/bedplate-node.pyz collect-metrics 2>&1; echo status $?; "
        "cat $BEDPLATE_ROOT/var/lib/bedplate/metrics/*.prom"
    )
    return fleet.run_shell(node, command, 60).stdout


def test_a_compute_node_keeps_exporters_and_counts_what_it_has(
    make_fleet: MakeFleet, node_program: bytes
) -> None:
    """The step is done; the counters are the hardware's, and an Xid of the kernel log is one."""
    fleet = make_fleet(
        fault("xid-79"),
        nodes=1,
        user_data=bootstrap(node_program, collection=TOLD),
        fetch=lambda bucket, key: node_program,
    )
    fleet.boot_report(node_id(0))
    assert outcomes(record_of(fleet, node_id(0)))["keep_exporters"] == "done"
    text = collected(fleet, node_id(0))
    assert "status 0" in text, text
    assert "bedplate_expected_efas 16\n" in text
    assert "bedplate_efas 16\n" in text
    assert text.count("node_amazonefa_tx_bytes{") == 16
    assert 'bedplate_xid_total{xid="79"' in text
    assert 'bedplate_lustre_mounted{file_system="abcdef12",path="/fsx"} 1' in text
    again = collected(fleet, node_id(0))
    assert [line for line in again.splitlines() if "xid_total{" in line] == [
        line for line in text.splitlines() if "xid_total{" in line
    ]
    scrape = fleet.run_shell(node_id(0), "cat $BEDPLATE_ROOT/opt/bedplate/scrape.json", 20).stdout
    assert node_id(0) in scrape
    assert "DCGM_FI_DEV_ROW_REMAP_FAILURE" in scrape


def test_the_login_node_tells_what_slurm_says(make_fleet: MakeFleet, node_program: bytes) -> None:
    """Of every node, with its state."""
    told = replace(TOLD, slurm=True)
    fleet = make_fleet(
        nodes=2,
        user_data=bootstrap(node_program, collection=TOLD),
        login_user_data=bootstrap(node_program, role="login", collection=told),
        fetch=lambda bucket, key: node_program,
    )
    assert fleet.boot_report(LOGIN).ok
    text = collected(fleet, LOGIN)
    assert "status 0" in text, text
    assert text.count("bedplate_slurm_node_state{") == 2
    assert 'state="configured"} 16' in text
