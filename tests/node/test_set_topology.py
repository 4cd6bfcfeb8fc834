"""topology.conf changes only where EC2 and Slurm answer, and is taken back where slurmctld refuses it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bedplate.node.__main__ import main

NODES = "".join(
    f"NodeName=gpu-{n} Arch=x86_64 NodeAddr=10.0.0.{n} NodeHostName=gpu-{n} \n" for n in (1, 2, 10)
)
INSTANCES = [["10.0.0.1", "i-1"], ["10.0.0.2", "i-2"]]
PLACES = [
    {"InstanceId": "i-1", "NetworkNodes": ["nn-t", "nn-m", "nn-a"], "ZoneId": "usw2-az1"},
    {"InstanceId": "i-2", "NetworkNodes": ["nn-t", "nn-m", "nn-b"]},
]
WRITTEN = """\
SwitchName=nn-a Nodes=gpu-1
SwitchName=nn-b Nodes=gpu-2
SwitchName=unknown Nodes=gpu-10
SwitchName=nn-m Switches=nn-a,nn-b
SwitchName=nn-t Switches=nn-m
SwitchName=root Switches=nn-t,unknown
"""


class Programs:
    """SIMULATED: scontrol and aws, which print what they are given and write down what they were asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        monkeypatch.setenv("PATH", str(folder))
        self.tells(nodes=NODES, instances=INSTANCES, places=PLACES)

    def tells(self, **said: Any) -> None:
        """Change what they say: ``reconfigure`` and ``aws`` are exit codes."""
        file = self.folder / "said.json"
        old = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**old, **said}))
        for name in ("scontrol", "aws"):
            program = self.folder / name
            program.write_text(
                f"#!{sys.executable}\nimport json, sys\n"
                f"said = json.load(open('{file}'))\n"
                f"open('{self.folder}/asked', 'a').write(' '.join(sys.argv[1:]) + '\\n')\n"
                "if 'reconfigure' in sys.argv: sys.exit(said.get('reconfigure', 0))\n"
                "if 'nodes' in sys.argv: print(said['nodes'])\n"
                "if sys.argv[1] == 'ec2' and said.get('aws'): sys.exit('An error occurred: Throttling')\n"
                "if 'describe-instances' in sys.argv: print(json.dumps(said['instances']))\n"
                "if 'describe-instance-topology' in sys.argv: print(json.dumps(said['places']))\n"
            )
            program.chmod(0o755)

    @property
    def asked(self) -> list[str]:
        """What they were asked, in order."""
        return (self.folder / "asked").read_text().splitlines()


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Programs:
    """Three nodes, two of them launched."""
    folder = tmp_path / "bin"
    folder.mkdir()
    return Programs(folder, monkeypatch)


def _set(file: Path, *more: str) -> int:
    words = ["set-topology", "--file", str(file), "--region", "us-west-2", "--filter", "tag:cluster=prod"]
    return main([*words, *more])


def test_the_file_is_written_and_slurmctld_told(programs: Programs, tmp_path: Path, capsys: Any) -> None:
    """Of the cluster's own running instances; a node that is not launched is in the file."""
    file = tmp_path / "topology.conf"
    assert _set(file) == 0
    assert file.read_text() == WRITTEN
    assert file.stat().st_mode & 0o777 == 0o644
    assert programs.asked[-1] == "reconfigure"
    assert "Name=tag:cluster,Values=prod Name=instance-state-name,Values=running" in programs.asked[1]
    assert "Name=private-ip-address,Values=10.0.0.1,10.0.0.10,10.0.0.2" in programs.asked[1]
    assert "--instance-ids i-1 i-2 --region us-west-2" in programs.asked[2]
    assert "3 nodes, 1 of them not known to EC2" in capsys.readouterr().out


def test_slurmctld_is_left_alone_where_nothing_has_changed(programs: Programs, tmp_path: Path) -> None:
    """A timer calls it for ever: a reconfigure each time would be felt by a large cluster."""
    file = tmp_path / "topology.conf"
    file.write_text(WRITTEN)
    assert _set(file) == 0
    assert "reconfigure" not in programs.asked


@pytest.mark.parametrize("old", [None, "SwitchName=old Nodes=gpu-[1-2,10]\n"])
def test_a_file_that_slurmctld_refuses_is_taken_back(
    programs: Programs, tmp_path: Path, capsys: Any, old: str | None
) -> None:
    """The old file, or none, is there again, and the exit status says so."""
    file = tmp_path / "topology.conf"
    if old:
        file.write_text(old)
    programs.tells(reconfigure=1)
    assert _set(file) == 1
    assert (file.read_text() if file.exists() else None) == old
    assert [path.name for path in tmp_path.iterdir() if "topology" in path.name] == (
        [file.name] if old else []
    )
    assert "is as it was" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"aws": 1}, "Throttling"),
        ({"nodes": ""}, "names no node"),
        ({"instances": {"error": 1}}, "printed no list"),
        ({"instances": [["10.0.0.1"]]}, "describe-instances says"),
        ({"places": [{"NetworkNodes": []}]}, "describe-instance-topology says"),
        ({"places": [PLACES[0], {"InstanceId": "i-2", "NetworkNodes": ["nn-x", "nn-m", "nn-b"]}]}, "nn-m"),
    ],
)
def test_without_an_answer_the_file_stays(
    programs: Programs, tmp_path: Path, capsys: Any, said: dict[str, Any], told: str
) -> None:
    """Throttled, cut, or of no sense: nothing is written, slurmctld is not told, and it is no success."""
    file = tmp_path / "topology.conf"
    file.write_text("as it was")
    programs.tells(**said)
    assert _set(file) == 1
    assert file.read_text() == "as it was"
    assert "reconfigure" not in programs.asked
    assert told in capsys.readouterr().err


def test_an_unknown_place_is_no_reason_to_stop(programs: Programs, tmp_path: Path) -> None:
    """Types without network nodes, and instances that EC2 does not tell of, are all under one switch."""
    programs.tells(places=[{"InstanceId": "i-1"}])
    file = tmp_path / "topology.conf"
    assert _set(file) == 0
    assert file.read_text() == "SwitchName=unknown Nodes=gpu-[1-2,10]\n"


def test_ultraservers_are_written_as_blocks(programs: Programs, tmp_path: Path) -> None:
    """By the domain that EC2 names; the node that is not launched fills the block."""
    programs.tells(places=[{**place, "CapacityBlockId": "cb-1"} for place in PLACES])
    file = tmp_path / "topology.conf"
    assert _set(file, "--block-size", "3") == 0
    assert file.read_text() == "BlockName=cb-1 Nodes=gpu-[1-2,10]\nBlockSizes=3\n"
    assert programs.asked[-1] == "reconfigure"


def test_a_block_that_slurmctld_would_end_at_leaves_the_file(
    programs: Programs, tmp_path: Path, capsys: Any
) -> None:
    """Two of nine nodes, and one spare: nothing is written."""
    programs.tells(places=[{**place, "CapacityBlockId": "cb-1"} for place in PLACES])
    file = tmp_path / "topology.conf"
    file.write_text("as it was")
    assert _set(file, "--block-size", "9") == 1
    assert file.read_text() == "as it was"
    assert "cb-1 has 2 of 9 nodes" in capsys.readouterr().err
