#!/bin/bash
# all tests with the address and undefined-behaviour sanitizers
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build host-asan -DQR_TEST_TIMEOUT_SCALE=4
run_ctest build/host-asan -LE slow
