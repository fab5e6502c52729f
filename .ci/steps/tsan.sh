#!/bin/bash
# thread sanitizer: unit tests that have threads, and the MPI suites with 2 and 3 ranks
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build host-tsan -DQR_BUILD_TOOLS=OFF -DQR_BUILD_EXAMPLES=OFF -DQR_TEST_TIMEOUT_SCALE=4
# The sanitizer of GCC 12 does not start where the kernel randomises addresses by more than 28 bits.
fixed_addresses=()
if setarch -R true 2>/dev/null; then
  fixed_addresses=(setarch -R)
fi
"${fixed_addresses[@]}" ctest --test-dir build/host-tsan --parallel "$jobs" --output-on-failure --no-tests=error -LE slow -R '^host_|\.np[23]$' -E fr_26
