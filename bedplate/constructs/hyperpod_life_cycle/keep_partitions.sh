#!/bin/bash
# Bedplate: gives each partition what the environment file says of it, by a timer on HyperPod's controller.
# A line of the file is a partition's name and parameters as slurm.conf spells them. A partition that is not
# there yet is an error in the journal, and is tried again the next time.
set -uo pipefail
PATH="/opt/slurm/bin:$PATH"
failed=0
while read -r name settings; do
  read -ra words <<<"$settings"
  scontrol update "PartitionName=$name" "${words[@]}" </dev/null || failed=1
done <"${BEDPLATE_ROOT:-}/opt/bedplate/partitions"
exit "$failed"
