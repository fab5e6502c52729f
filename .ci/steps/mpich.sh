#!/bin/bash
# build over MPICH, and the MPI suites with up to 4 ranks, the longest with 2 (its ranks spin, and starve each other)
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build host-mpich-release -DQR_BUILD_EXAMPLES=ON
run_ctest build/host-mpich-release -R '\.np[1-4]$' -E 'fr_(05|07|09|26).*\.np[34]$' -LE slow
