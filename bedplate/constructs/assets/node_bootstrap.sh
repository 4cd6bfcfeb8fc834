#!/bin/bash
# Bedplate node bootstrap. Runs as root: at the first boot as user data (after the node registered with PCS, before
# slurmd), at later boots by a unit that it leaves behind. Every step may run again.
# The values at the top are written by bedplate.constructs.node_bootstrap. Every path starts with ${BEDPLATE_ROOT:-},
# empty on a node, so that a test can run the script whole in a folder.
#
# The node program is installed first: whatever fails after it can then be seen by `bedplate validate`. A step that
# fails does not stop the others; the script ends with 1 and says in bootstrap.json which one it was.
set -uo pipefail

ROOT="${BEDPLATE_ROOT:-}"
HOME_DIR="$ROOT/opt/bedplate"
LOG="$ROOT/var/log/bedplate-bootstrap.log"
ATTEMPTS="${BEDPLATE_ATTEMPTS:-5}"
PAUSE_SECONDS="${BEDPLATE_PAUSE_SECONDS:-5}"

mkdir -p "$HOME_DIR" "$ROOT/var/log"
rm -f "$HOME_DIR/bootstrap.json"

log() { printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" | tee -a "$LOG" >&2; }

# bounded SECONDS COMMAND...: a command that hangs is ended.
bounded() { timeout --kill-after=5 "$@" >>"$LOG" 2>&1; }

# retry SECONDS COMMAND...: a few bounded attempts with a growing pause between them.
retry() {
  local attempt=1
  until bounded "$@"; do
    if [ "$attempt" -ge "$ATTEMPTS" ]; then
      log "gave up after $attempt attempts: ${*:2}"
      return 1
    fi
    log "attempt $attempt failed: ${*:2}"
    sleep $((PAUSE_SECONDS * attempt))
    attempt=$((attempt + 1))
  done
}

has_digest() { echo "$PROGRAM_SHA256  $1" | sha256sum --check --status 2>/dev/null; }

install_program() {
  local target="$HOME_DIR/bedplate-node.pyz" new="$HOME_DIR/bedplate-node.pyz.new"
  if has_digest "$target"; then return 0; fi
  retry 120 aws s3 cp --only-show-errors "s3://$PROGRAM_BUCKET/$PROGRAM_KEY" "$new" || return 1
  if ! has_digest "$new"; then
    log "digest of the node program is not $PROGRAM_SHA256"
    rm -f "$new"
    return 1
  fi
  chmod 0755 "$new" && mv -f "$new" "$target"
}

# User data runs once; LNet and the mounts must come back, in this order, after a reboot.
install_boot_unit() {
  local units="$ROOT/etc/systemd/system" script="$HOME_DIR/bootstrap.sh"
  if [ ! "$0" -ef "$script" ]; then
    install -m 0700 "$0" "$script" || return 1
  fi
  mkdir -p "$units/multi-user.target.wants"
  cat >"$units/bedplate-bootstrap.service" <<'UNIT' || return 1
[Unit]
Description=Bedplate: LNet over EFA, Lustre and scratch after a reboot
Wants=network-online.target
After=network-online.target
ConditionPathExists=/opt/bedplate/bootstrapped
[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=1800
ExecStart=/opt/bedplate/bootstrap.sh
[Install]
WantedBy=multi-user.target
UNIT
  ln -sfn ../bedplate-bootstrap.service "$units/multi-user.target.wants/bedplate-bootstrap.service"
}

set_persistence() { retry 60 nvidia-smi -pm 1; }

# One scratch volume over all instance-store disks. The count is the hardware table's: a missing disk is a fault.
make_scratch() {
  local disks=() disk
  if mountpoint -q "$ROOT/scratch"; then return 0; fi
  for disk in "$ROOT"/dev/disk/by-id/nvme-Amazon_EC2_NVMe_Instance_Storage_*; do
    case "$disk" in *-part* | *_1 | *-ns-1 | *'*') continue ;; esac
    disks+=("$disk")
  done
  if [ "${#disks[@]}" -ne "$NVME_COUNT" ]; then
    log "found ${#disks[@]} NVMe disks, expected $NVME_COUNT"
    return 1
  fi
  mkdir -p "$ROOT/scratch"
  # The Deep Learning AMIs may have striped the disks already.
  if mountpoint -q "$ROOT/opt/dlami/nvme"; then
    bounded 60 mount --bind "$ROOT/opt/dlami/nvme" "$ROOT/scratch"
    return
  fi
  if [ -e "$ROOT/dev/md/bedplate" ]; then
    bounded 60 mount -o noatime,discard "$ROOT/dev/md/bedplate" "$ROOT/scratch"
    return
  fi
  bounded 120 mdadm --create "$ROOT/dev/md/bedplate" --run --force --level=0 \
    --raid-devices="$NVME_COUNT" "${disks[@]}" || return 1
  bounded 300 mkfs.xfs -f -L scratch "$ROOT/dev/md/bedplate" || return 1
  bounded 60 mount -o noatime,discard "$ROOT/dev/md/bedplate" "$ROOT/scratch" || return 1
  chmod 1777 "$ROOT/scratch"
}

# LNet over EFA. Without this step a file system with EFA is mounted over TCP, and nothing says so.
# Steps: FSx for Lustre User Guide, "Configuring EFA clients".
set_up_lnet() {
  local address_interface device bound=0 marker="$ROOT/run/bedplate/lnet"
  if [ -e "$marker" ]; then return 0; fi # /run is empty after a reboot
  address_interface="$(ip -o -4 route show default | awk '{print $5; exit}')"
  if [ -z "$address_interface" ]; then log "no default route, so no interface for LNet"; return 1; fi
  bounded 60 modprobe lnet || return 1
  bounded 60 modprobe kefalnd "ipif_name=$address_interface" || return 1
  bounded 60 modprobe ksocklnd || return 1
  bounded 60 lnetctl lnet configure || return 1
  bounded 60 lnetctl net del --net tcp || true # the default network, which need not be there
  bounded 60 lnetctl net add --net tcp --if "$address_interface" || return 1
  for device in "$ROOT"/sys/class/infiniband/*; do
    # The folder holds other RDMA devices too: p6-b200 lists two ports of its NVSwitches before the EFAs.
    [ "$(cat "$device/device/vendor" 2>/dev/null)" = 0x1d0f ] || continue
    [ "$bound" -lt "$LNET_EFA_COUNT" ] || break
    bounded 60 lnetctl net add --net efa --if "$(basename "$device")" --peer-credits 32 || return 1
    bound=$((bound + 1))
  done
  bounded 60 lnetctl set discovery 1 || return 1
  bounded 60 lnetctl udsp add --src efa --priority 0 || return 1
  if [ "$bound" -ne "$LNET_EFA_COUNT" ]; then
    log "bound $bound EFA devices to LNet, expected $LNET_EFA_COUNT"
    return 1
  fi
  mkdir -p "$(dirname "$marker")" && touch "$marker"
}

mount_lustre() {
  mkdir -p "$ROOT$LUSTRE_MOUNT"
  if mountpoint -q "$ROOT$LUSTRE_MOUNT"; then return 0; fi
  bounded 60 modprobe lustre || return 1
  # Not in fstab: a mount before LNet knows the EFAs would go over TCP.
  retry 120 mount -t lustre -o noatime,flock "$LUSTRE_DNS@tcp:/$LUSTRE_NAME" "$ROOT$LUSTRE_MOUNT"
}

failed=()
done_steps=()
for step in $STEPS; do
  log "step $step"
  if "$step"; then done_steps+=("$step"); else
    failed+=("$step")
    log "step $step failed"
  fi
done

quoted() { local item out=""; for item in "$@"; do out="$out${out:+, }\"$item\""; done; printf '[%s]' "$out"; }
printf '{"schema": 1, "role": "%s", "program_sha256": "%s", "done": %s, "failed": %s}\n' \
  "$NODE_ROLE" "$PROGRAM_SHA256" "$(quoted ${done_steps[@]+"${done_steps[@]}"})" \
  "$(quoted ${failed[@]+"${failed[@]}"})" >"$HOME_DIR/bootstrap.json"
# From now on the unit runs at every boot, also after a boot that was interrupted.
touch "$HOME_DIR/bootstrapped"
if [ "${#failed[@]}" -gt 0 ]; then
  log "ended with failed steps: ${failed[*]}"
  exit 1
fi
log "done"
