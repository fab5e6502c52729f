#!/bin/bash
# the AMD kernels keep their budgets: registers, no scratch, no flat accesses, instructions a value, drained stores
set -euo pipefail
. "$(dirname "$0")/../common.sh"
[ -f build/amd/build.ninja ] || bash .ci/steps/amd.sh
benchmarks/isa build/amd --check --json build/amd/isa.json
