"""Nobody but the bootstrap mounts what the bootstrap mounts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bedplate.node.bootstrap.fstab import without_paths
from bedplate.node.bootstrap.steps import mount_file_systems
from tests.node.bootstrap.fake_machine import SETTINGS
from tests.node.bootstrap.hosts import Machine
from tests.node.bootstrap.test_bootstrap_clients import LUSTRE, OPENZFS

TABLE = """\
# <file system> <mount point>   <type>  <options>
LABEL=cloudimg-rootfs /  ext4 discard 0 1
10.0.0.9:/home /home nfs hard,_netdev 0 2
fs-1.fsx.us-west-2.amazonaws.com@tcp:/abc /fsx lustre defaults,_netdev,flock,noauto,x-systemd.automount 0 0
#10.0.0.9:/old /fsx nfs hard 0 0

"""


def test_only_the_lines_of_the_given_paths_go() -> None:
    """Comments, blank lines and other mounts stay as they are, with or without a slash at the end."""
    kept, found = without_paths(TABLE, ["/fsx/", "/scratch"])
    assert found == ["/fsx"]
    assert kept == "".join(line for line in TABLE.splitlines(keepends=True) if not line.startswith("fs-1"))
    assert without_paths(kept, ["/fsx"]) == (kept, [])


@given(st.text(alphabet="/#ab \t\n", max_size=60))
def test_nothing_is_lost_of_any_text(text: str) -> None:
    """What is kept and what was found are together as many lines as there were, and kept in order."""
    kept, found = without_paths(text, ["/a", "/b"])
    assert len(kept.splitlines()) + len(found) == len(text.splitlines())
    assert without_paths(text, [])[0] == text


def test_a_line_that_parallelcluster_wrote_is_taken_out(tmp_path: Path) -> None:
    """systemd hears of it; a table without such a line is not written, and need not be there."""
    machine = Machine(tmp_path)
    settings = replace(SETTINGS, mounts=(LUSTRE, OPENZFS))
    table = tmp_path / "etc/fstab"
    mount_file_systems.STEP.run(machine.host, settings)
    assert not table.exists()
    table.parent.mkdir(parents=True, exist_ok=True)
    table.write_text(TABLE)
    mount_file_systems.STEP.run(machine.host, settings)
    assert [line.split()[1] for line in table.read_text().splitlines() if line and line[0] != "#"] == [
        "/",
        *([] if OPENZFS.path == "/home" else ["/home"]),
    ]
    assert machine.runner.calls.count("systemctl daemon-reload") == 1
    mount_file_systems.STEP.run(machine.host, settings)
    assert machine.runner.calls.count("systemctl daemon-reload") == 1
