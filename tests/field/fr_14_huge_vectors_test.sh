#!/bin/bash
# FR-14 with vectors of more than 2^31 elements and 2^32 bytes. Two ranks take 9 GB.
. "$(dirname "$0")/../support/script.sh"
available=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
[ "$available" -ge 14 ] || skip "needs 14 GiB of free memory, $available GiB are available"

QR_TEST_LARGE=1 timeout 580 "${mpiexec[@]}" -n 2 "$QR_TEST_BIN/fr_14_large_counts_test" \
  --gtest_filter='Fr14HugeVectors.*' >"$scratch/log" 2>&1 || { show_log; fail "exit code $?"; }
grep -q 'PASSED.*2 tests' "$scratch/log" || { show_log; fail "not all tests ran"; }
echo PASSED
