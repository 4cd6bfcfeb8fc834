#!/bin/bash
# Bedplate: HyperPod downloads this folder to each new node and runs this file there, once for each root volume
# and not at a reboot: on nodes that take jobs by OnCreate, where HyperPod starts no Slurm by itself, so that
# this file does, last of all, and a node on which anything fails never runs it; on the controller and login
# nodes by OnInitComplete, after HyperPod has set Slurm up. Nothing is fetched. Every path starts with $ROOT,
# empty on a node.
set -uo pipefail
umask 022
ROOT="${BEDPLATE_ROOT:-}"
HERE="$(cd "$(dirname "$0")" && pwd)" || exit 1
CONFIG="${SAGEMAKER_RESOURCE_CONFIG_PATH:-$ROOT/opt/ml/config/resource_config.json}"
OURS="$ROOT/opt/bedplate"
PROGRAM="$OURS/bedplate-node.pyz"
SLURM="$ROOT/opt/slurm/etc"
UNITS="$ROOT/etc/systemd/system"
LOG="$ROOT/var/log/provision/provisioning.log"
mkdir -p "$ROOT/var/log/provision" "$OURS"

say() { printf '%s bedplate: %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" | tee -a "$LOG"; }
fail() {
  say "failed: $*"
  exit 1
}
# patiently TRIES COMMAND…: until it ends well, with a longer pause after each try.
patiently() {
  local tries="$1" try
  shift
  for try in $(seq 1 "$tries"); do
    "$@" && return 0
    say "try $try of $tries: $*"
    [ "$try" = "$tries" ] || sleep "$((5 * try * ${BEDPLATE_PAUSE_SCALE:-1}))"
  done
  return 1
}

# Group, type of Slurm node and the controller's addresses. HyperPod's list of nodes may lag behind.
find_place() {
  local place
  place="$(python3 "$HERE/place.py" --config "$CONFIG" --groups "$HERE/groups" \
    --address "${BEDPLATE_ADDRESS:-}" 2>>"$LOG")" || return 1
  read -r GROUP TYPE CONTROLLERS <<<"$place"
}

# Before anything else can fail: slurmd is not to start where the bootstrap has not done every step.
hold_slurmd_back() {
  local unit
  for unit in slurmd.service.d slurmd-.service.d; do
    mkdir -p "$UNITS/$unit" && cp "$HERE/slurmd-gate.conf" "$UNITS/$unit/10-bedplate-gate.conf" || return 1
  done
  systemctl daemon-reload
}

install_program() {
  local digest
  digest="$(cat "$HERE/bedplate-node.sha256")" || return 1
  cp "$HERE/bedplate-node.pyz" "$PROGRAM.new" || return 1
  echo "$digest  $PROGRAM.new" | sha256sum --check --status || return 1
  chmod 0755 "$PROGRAM.new" && mv -f "$PROGRAM.new" "$PROGRAM" || return 1
  printf '%s\n' "$digest" >"$OURS/bedplate-node.sha256"
}

bootstrap() {
  cp "$HERE/settings-$GROUP.json" "$OURS/settings.json" || return 1
  python3 "$PROGRAM" bootstrap --settings "$OURS/settings.json" 2>&1 | tee -a "$LOG"
}

# HyperPod's agent writes slurm.conf; until it names the controller, slurmctld would not know itself.
slurm_conf_is_there() {
  local address
  for address in ${CONTROLLERS//,/ }; do
    grep -qF -- "$address" "$SLURM/slurm.conf" 2>/dev/null && return 0
  done
  return 1
}

# By name alone: slurmctld hands a file out to the other nodes only where it lies beside slurm.conf.
include_settings() {
  cp "$HERE/slurm-settings.conf" "$SLURM/bedplate.conf" || return 1
  grep -qxF "Include bedplate.conf" "$SLURM/slurm.conf" && return 0
  printf '\nInclude bedplate.conf\n' >>"$SLURM/slurm.conf"
}

# HyperPod's agent knows a partition's name and nodes; what else the environment file says of it is kept by a
# timer, since the partition comes with its first nodes, and slurmctld forgets it when it starts anew.
keep_partitions() {
  [ -s "$HERE/partitions" ] || return 0
  cp "$HERE/partitions" "$HERE/keep_partitions.sh" "$OURS/" || return 1
  mkdir -p "$UNITS"
  cat >"$UNITS/bedplate-partitions.service" <<UNIT || return 1
[Unit]
Description=Bedplate: give the partitions what the environment file says of them
[Service]
Type=oneshot
TimeoutStartSec=120
ExecStart=/bin/bash /opt/bedplate/keep_partitions.sh
UNIT
  cat >"$UNITS/bedplate-partitions.timer" <<UNIT || return 1
[Unit]
Description=Bedplate: look at the partitions
[Timer]
OnBootSec=1min
OnUnitActiveSec=2min
[Install]
WantedBy=timers.target
UNIT
  systemctl daemon-reload && systemctl enable --now bedplate-partitions.timer
}

# The image's unit has a variable where slurmd is told whom to ask for slurm.conf.
point_slurmd() {
  local told="--conf-server $CONTROLLERS"
  sed -i -e "s|\${SLURMD_OPTIONS}|$told|" -e "s|\$SLURMD_OPTIONS|$told|" "$UNITS/slurmd.service" || return 1
  grep -qF -- "$told" "$UNITS/slurmd.service" && systemctl daemon-reload
}

say "life-cycle script on $(uname -n)"
patiently 12 find_place || fail "this node is in no group of $CONFIG"
say "group $GROUP, $TYPE"
if [ "$TYPE" = Compute ]; then
  hold_slurmd_back || fail "slurmd cannot be held back"
fi
install_program || fail "the node program beside this script is not the one that was deployed"
bootstrap || fail "the bootstrap; $ROOT/opt/bedplate/bootstrap.json says which step"
if [ "$TYPE" = Controller ]; then
  patiently 20 slurm_conf_is_there || fail "$SLURM/slurm.conf does not name $CONTROLLERS"
  include_settings || fail "the settings cannot be put beside slurm.conf"
  patiently 3 systemctl restart slurmctld || fail "slurmctld does not start with the settings"
  keep_partitions || fail "the partitions cannot be kept as the environment file has them"
elif [ "$TYPE" = Compute ]; then
  point_slurmd || fail "$UNITS/slurmd.service has no place for the controller's address"
  patiently 6 systemctl enable --now slurmd || fail "slurmd does not start"
fi
say "done"
