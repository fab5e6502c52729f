#!/bin/bash
# all tests of up to 4 ranks, but for the longest vectors, with the address and undefined-behaviour sanitizers
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build host-asan -DQR_BUILD_TOOLS=OFF -DQR_BUILD_EXAMPLES=OFF -DQR_TEST_TIMEOUT_SCALE=4
run_ctest build/host-asan -LE slow -E '\.np([5-9]|[1-9][0-9]+)$|fr_26'
