#!/bin/bash
# build over MPICH, and the MPI suites with up to 2 ranks (its ranks spin, so more would starve 2 cores)
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build host-mpich-release -DQR_BUILD_EXAMPLES=ON
run_ctest build/host-mpich-release -R '\.np[12]$' -LE slow
