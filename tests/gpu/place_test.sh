#!/bin/bash
# FR-04: two ranks on one device without leave, one device for each rank that both call 0, and devices in another
# order. Right results on all roads; the log says which road and why.
. "$(dirname "$0")/../support/script.sh"
devices=$("$QR_TEST_BIN/device_count")
[ "$devices" -gt 0 ] || skip "no device in this process"
export QR_MPI_LOG=2 QR_MPI_SHARED_DEVICE=0
expect() {  # expect WHAT PATTERN [DEVICES]: passes where each rank sees these devices, and the log has the pattern
  local what=$1 pattern=$2 visible=${3:+"export CUDA_VISIBLE_DEVICES=$3 HIP_VISIBLE_DEVICES=$3;"}
  run 2 bash -c "$visible exec '$QR_TEST_BIN/place_test'" ||
    { show_log; fail "$what: a test failed"; }
  grep -Eq "$pattern" "$scratch/log" || { show_log; fail "$what: no line like '$pattern'"; }
  echo "$what: $(grep -oE "$pattern.*" "$scratch/log" | head -1)"
}
pci='[0-9a-fA-F]{4,}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-9]'
# A lone device need not be chosen; under MPS, naming it was seen to make it unavailable.
only_first=0
[ "$devices" -ge 2 ] || only_first=
expect "one device for both" "ranks 0 and 1 are on one device \($pci\)" $only_first
if [ "$devices" -ge 2 ]; then
  arenas="2 ranks: device memory of $pci"
  expect "one each, called 0 by both" "$arenas" '${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}'
  expect "in the other order" "$arenas" 1,0
  expect "both for both" "$arenas" 0,1
fi
echo PASSED
