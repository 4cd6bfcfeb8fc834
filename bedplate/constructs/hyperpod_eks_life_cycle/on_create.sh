#!/bin/bash
# Bedplate: HyperPod runs this once on each new node under EKS, before the node joins the cluster. It has nothing
# to set up: driver, EFA and kubelet come with HyperPod's image, all else with pods. It says that it ran, and
# fetches nothing, since a script that fails fails the node. Every path starts with $ROOT, empty on a node.
set -uo pipefail
umask 022
ROOT="${BEDPLATE_ROOT:-}"
LOG="$ROOT/var/log/provision/provisioning.log"
mkdir -p "$ROOT/var/log/provision" &&
  printf '%s bedplate: nothing to set up, the node joins the cluster\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" | tee -a "$LOG"
exit 0
