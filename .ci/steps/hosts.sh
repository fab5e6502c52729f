#!/bin/bash
# two simulated hosts with 2 ranks each: ranks of the other host are never taken for neighbours
set -euo pipefail
. "$(dirname "$0")/../common.sh"
[ -d build/host-release ] || build host-release
bin=$root/build/host-release/tests/bin

.ci/two-hosts up
trap '.ci/two-hosts down' EXIT
for transport in ob1 ucx; do
  export MPIRUN_OPTIONS="--mca pml $transport --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any"
  for test in allreduce_test; do
    heading "$test, 2 hosts x 2 ranks, $transport"
    .ci/two-hosts run 2 "$bin/$test"
  done
done
