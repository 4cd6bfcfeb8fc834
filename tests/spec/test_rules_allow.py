"""What the rules must let through: the legal neighbours of what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bedplate.spec.problems import Problem

BLOCK = ("source: on-demand", "source: capacity-block\n      reservation: cr-0123456789abcdef0")
ON_DEMAND = "source: on-demand"
GROUP = "arn:aws:resource-groups:us-west-2:123456789012:group/h200"
SOURCES = {
    "Spot": "source: spot",
    "an open reservation in a group": "source: open-reservation\n      placement_group: research-1",
    "a targeted reservation": "source: targeted-reservation\n      reservation: cr-0123456789abcdef0",
    "a created reservation": "source: targeted-reservation\n      reservation: create",
    "a group of reservations": f"source: targeted-reservation\n      resource_group: {GROUP}",
    "an interruptible reservation": "source: interruptible-reservation\n      reservation: "
    "cr-0123456789abcdef0",
}
ASSOCIATIONS = """      associations:
        - {path: /datasets, bucket: create, import: [new, changed, deleted]}
        - {path: /checkpoints, bucket: create, export: [new, changed, deleted]}
"""
GB200 = (
    ("region: us-west-2", "region: us-east-1"),
    ("usw2-az2 ", "use1-dfw2-az1 "),
    ("[usw2-az1, usw2-az2]", "[use1-az1, use1-az4]"),
    ("instance_type: p5en.48xlarge", "instance_type: p6e-gb200.36xlarge\n    ultraserver: u-p6e-gb200x36"),
    ("nodes: 8", "nodes: 9"),
    ("source: on-demand", "source: ultraserver-block\n      reservation: cr-0123456789abcdef0"),
    ("m7i.4xlarge", "m7g.4xlarge"),
    ("efa: true", "efa: false"),
)
FILE_SYSTEMS = """storage:
  file_systems:
    - {kind: lustre-tiering, mount: /archive, throughput_mbps: 8000, read_cache_gib: 64}
    - {kind: lustre-tiering, mount: /archive-2, throughput_mbps: 4000, read_cache_gib: 131072}
    - {kind: lustre-tiering, mount: /archive-3, throughput_mbps: 4000, read_cache_gib: 0}
    - {kind: lustre, mount: /kept, capacity_gib: 38400, backup_days: 7}
    - {kind: efs, mount: /home}
    - kind: openzfs
      mount: /home-of-others
      capacity_gib: 64
      kms_key: arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef
"""
EXISTING = """storage:
  file_systems:
    - {kind: existing-lustre, mount: /old, id: fs-0123456789abcdef0, mount_name: abcdefgh}
    - {kind: existing-openzfs, mount: /homes/a, id: fs-0123456789abcdef1}
    - {kind: existing-efs, mount: /homes/b, id: fs-01234567}
"""
VPC = """vpc:
    id: vpc-0123456789abcdef0
    gpu_subnet: subnet-0123456789abcdef0
    control_subnets: [subnet-0123456789abcdef1, subnet-0123456789abcdef2]"""

CONTAINERS = """  containers:
    kind: packages
    packages:
      - {uri: s3://acme-mirror/noble/libjq1_1.7.1-3_amd64.deb, sha256: SHA}
      - {uri: s3://acme-mirror/enroot-hardened_4.1.2-1_amd64.deb, sha256: SHA}
      - {uri: s3://acme-mirror/enroot-hardened+caps_4.1.2-1_amd64.deb, sha256: SHA}
    pyxis: {uri: s3://acme-mirror/pyxis-0.24.0.tar.gz, sha256: SHA}
""".replace("SHA", "0123456789abcdef" * 4)
KEPT = "  retention_days: 150\n"
BY_CENTER = f"""{KEPT}  grafana:
    kind: managed
    identity_center:
      admin_users: [01234567-89ab-cdef-0123-456789abcdef]
      editor_groups: [a1b2c3d4e5-01234567-89ab-cdef-0123-456789abcdef]
    saml: {{metadata_url: "https://idp.example.com/metadata"}}
"""
BY_SAML = f"""{KEPT}  grafana:
    kind: managed
    saml:
      metadata_xml: |
        <EntityDescriptor/>
      attributes: {{role: memberOf}}
      admin_roles: [platform]
    access: {{}}
"""
AT_HOME = "  users: [{name: alice, uid: 2000}, {name: _b-c_1, uid: 59999}]\n"
PEOPLE = f"{AT_HOME}  homes: /fsx/home\n  teams: [{{name: vision, users: [alice]}}]\n"
MEMBERS = "  homes: /nowhere\n  teams: [{name: vision, users: [zoe]}]\n"


@pytest.mark.parametrize(
    "replacements",
    [
        pytest.param((), id="the demo itself"),
        pytest.param((("nodes: 8", "nodes: {min: 0, max: 64}"), BLOCK), id="a block that has not started"),
        pytest.param((("nodes: 8", "nodes: {min: 64, max: 64}"), BLOCK), id="a block as a range of one size"),
        pytest.param((("nodes: 8", "nodes: {min: 2, max: 2}"),), id="a range of one size"),
        pytest.param(GB200, id="one UltraServer"),
        pytest.param((*GB200, ("nodes: 9", "nodes: 9\n    efas: 8")), id="eight EFAs on GB200"),
        pytest.param((*GB200, ("x36", "x72"), ("nodes: 9", "nodes: 36")), id="two UltraServers of 72 GPUs"),
        *(pytest.param(((ON_DEMAND, capacity),), id=name) for name, capacity in SOURCES.items()),
        pytest.param(
            (("p5en.48xlarge", "p6-b300.48xlarge\n    interfaces: more-address-bandwidth"),),
            id="more address bandwidth",
        ),
        pytest.param((("capacity_gib: 38400", "capacity_gib: 19200"),), id="one EFA step"),
        pytest.param(
            (("capacity_gib: 38400", "capacity_gib: 4800"), ("tib: 250", "tib: 1000")), id="least with EFA"
        ),
        pytest.param(
            (("capacity_gib: 38400", "capacity_gib: 1200"), ("efa: true", "efa: false")), id="1200 GiB"
        ),
        pytest.param((("iops: 12000", "iops: automatic"),), id="automatic metadata"),
        pytest.param((("iops: 12000", "iops: 192000"),), id="most metadata"),
        pytest.param(((ASSOCIATIONS, "      associations: [{path: /, bucket: create}]\n"),), id="root alone"),
        pytest.param((("/checkpoints", "/datasets-new"),), id="a name that begins alike"),
        pytest.param((("cidr: 10.40.0.0/16", VPC),), id="an existing VPC"),
        pytest.param((("storage:\n  file_systems:\n", FILE_SYSTEMS),), id="file systems of every kind"),
        pytest.param(
            (
                ("cidr: 10.40.0.0/16", f"{VPC}\n    fabric_group: sg-0123456789abcdef0"),
                ("storage:\n  file_systems:\n", EXISTING),
            ),
            id="file systems that admit the nodes' group already",
        ),
        pytest.param((("10.40.0.0/16", "192.168.0.0/24"),), id="a small range"),
        pytest.param((("  partitions:\n", f"{PEOPLE}  partitions:\n"),), id="users with homes in a folder"),
        pytest.param(
            (("mount: /fsx", "mount: /home"), ("  partitions:\n", f"{AT_HOME}  partitions:\n")),
            id="users with homes in /home",
        ),
        pytest.param((("  partitions:\n", f"{MEMBERS}  partitions:\n"),), id="members without users"),
        pytest.param((("pools: [h200]", "pools: &p [h200]"),), id="an anchor"),
        pytest.param((("  partitions:\n", f"{CONTAINERS}  partitions:\n"),), id="containers"),
        pytest.param(
            (("  partitions:\n", "  containers: {kind: image}\n  partitions:\n"),), id="an image's containers"
        ),
        pytest.param(((KEPT, f"{KEPT}  grafana: {{kind: none}}\n"),), id="no Grafana, in words"),
        pytest.param(((KEPT, BY_CENTER),), id="an admin of Identity Center, and others by SAML"),
        pytest.param(((KEPT, BY_SAML),), id="Grafana by SAML, reached by nobody yet"),
        pytest.param((("waivers: []", "waivers: [{check: DCG-002, reason: no time}]"),), id="a waiver"),
        pytest.param(
            (("waivers: []", "xid_policies: [{xid: 63, policy: replace, reason: as EC2 does}]"),),
            id="a policy for an Xid",
        ),
    ],
)
def test_legal_files_pass(
    replacements: tuple[tuple[str, str], ...],
    changed: Callable[..., str],
    problems_of: Callable[[str], list[Problem]],
) -> None:
    """No rule refuses what AWS takes."""
    assert problems_of(changed(*replacements)) == []
