#!/bin/bash
# FR-24: a build for devices, in processes that see none: host memory works, and device tests say that they were
# skipped. Runs on every machine.
. "$(dirname "$0")/../support/script.sh"
expect() {
  local what=$1
  shift
  run 2 "$@" || { show_log; fail "$what: a test failed"; }
  grep -q "OK.*HostMemory.Works" "$scratch/log" || { show_log; fail "$what: host memory was not tested"; }
  grep -q "SKIPPED: no device" "$scratch/log" || { show_log; fail "$what: a device is there all the same"; }
}
hide='export CUDA_VISIBLE_DEVICES= HIP_VISIBLE_DEVICES= ROCR_VISIBLE_DEVICES=;'
rank='${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}'
expect "no rank sees a device" bash -c "$hide exec '$QR_TEST_BIN/place_test'"
expect "one rank sees none" bash -c "[ $rank = 0 ] || { $hide }; exec '$QR_TEST_BIN/place_test'"
echo PASSED
