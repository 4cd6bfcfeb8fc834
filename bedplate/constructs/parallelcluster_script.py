"""The script that ParallelCluster runs on each of its nodes at OnNodeStart and at OnNodeConfigured.

Between the two ParallelCluster's own recipes run: they make a volume of the instance-store disks, enter the
shared storage in fstab and leave alone what is mounted already, and after the second slurmd is started; a
script that fails ends the node (aws/aws-parallelcluster ``resources/compute_node/user_data.sh``,
aws/aws-parallelcluster-cookbook ``recipes/config.rb`` and ``lustre/partial/_mount_unmount.rb``, at 3.12;
that 3.16 does the same is unverified). So everything but the scratch volume, and containers on it, is done
at the first, LNet's EFAs before any mount, and the whole again at the second.
"""

from __future__ import annotations

from bedplate.constructs.bootstrap_shell import FETCH, HAND_OVER, HEAD, hold_slurmd
from bedplate.node.bootstrap.places import HOOKS, SETTINGS
from bedplate.slurm.parallelcluster.surroundings import HEAD as HEAD_NODE
from bedplate.slurm.parallelcluster.surroundings import LOGIN

DNA = "/etc/chef/dna.json"
"""Where ParallelCluster tells its recipes, and so every node, what the node is."""
SLURM_SCRIPTS = "/opt/slurm/etc/scripts"
"""Shared from the head node; slurm.conf names ``prolog.d/*`` and ``epilog.d/*`` in it."""
LEFT_AT_START = ("make_scratch", "install_containers")
"""ParallelCluster makes the volume in between, and containers lie on it."""


def node_script() -> str:
    """Arguments: stage, bucket and key of the node program, its SHA-256, the bucket for reports, then the
    settings (JSON) of each pool that the node may belong to. Exits with 1 where the node is none of them.
    """
    return "\n".join(
        [
            "#!/bin/bash",
            "# Bedplate on AWS ParallelCluster. Runs as root at OnNodeStart and at OnNodeConfigured.",
            'STAGE="$1" BUCKET="$2" KEY="$3" DIGEST="$4" RESULTS="$5"',
            "shift 5",
            HEAD,
            _CHOOSE,
            'if [ "$ROLE" = compute ]; then',
            *hold_slurmd(),
            "fi",
            FETCH.rstrip("\n"),
            _HOOKS,
            'if [ "$STAGE" = start ]; then',
            "  " + " --later ".join((HAND_OVER, *LEFT_AT_START)),
            "fi",
            HAND_OVER,
            "",
        ]
    )


_CHOOSE = f"""\
# Which of the settings are this node's: their pool is its compute resource, the head or the login nodes.
CHOSEN="$(python3 -I - "$ROOT{DNA}" "$ROOT{SETTINGS}" "$@" <<'BEDPLATE_END'
import json, os, sys
dna, target, *given = sys.argv[1:]
with open(dna) as file:
    told = json.load(file)["cluster"]
kinds = {{"HeadNode": "{HEAD_NODE}", "LoginNode": "{LOGIN}"}}
kind = told["node_type"]
name = kinds.get(kind) or told["scheduler_compute_resource_name"]
found = [text for text in given if json.loads(text)["pool"] == name]
if len(found) != 1:
    sys.exit(f"{{len(found)}} settings are of {{name}}, which this {{kind}} is")
os.makedirs(os.path.dirname(target), exist_ok=True)
with open(target + ".new", "w") as file:
    file.write(found[0] + "\\n")
os.replace(target + ".new", target)
print(json.loads(found[0])["role"], name)
BEDPLATE_END
)" || {{ say "this node's settings cannot be chosen"; exit 1; }}
read -r ROLE NAME <<<"$CHOSEN"
say "$STAGE: this node is of $NAME\""""

_HOOKS = f"""\
# The folders are the head's, and every node runs what is in them: ours does nothing where there is no hook.
if [ "$STAGE" = configured ] && [ "$NAME" = {HEAD_NODE} ]; then
  for when in prolog epilog; do
    hook="{SLURM_SCRIPTS}/$when.d/50_bedplate"
    write "$hook" <<BEDPLATE_END
#!/bin/sh
[ -x "\\${{BEDPLATE_ROOT:-}}{HOOKS["prolog"].rpartition("/")[0]}/$when" ] || exit 0
exec "\\${{BEDPLATE_ROOT:-}}{HOOKS["prolog"].rpartition("/")[0]}/$when"
BEDPLATE_END
    chmod 0755 "$ROOT$hook"
  done
fi"""
