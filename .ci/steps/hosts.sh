#!/bin/bash
# two simulated hosts with 2 ranks each, over ob1 and UCX: ranks of the other host are never taken for neighbours
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build_once host-release
bin=$root/build/host-release/tests/bin

.ci/two-hosts up
trap '.ci/two-hosts down' EXIT
for transport in ob1 ucx; do
  export MPIRUN_OPTIONS="--mca pml $transport --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any -x QR_TEST_ROAD=mpi"
  # road_test: a communicator of both hosts goes through MPI. The others: right sums there and on communicators of one host.
  for test in road_test "fr_03_wrong_neighbour_test --gtest_filter=*AllRanksFallBackTogether" fr_07_subcommunicators_test fr_15_half_floats_test; do
    heading "$test, 2 hosts x 2 ranks, $transport"
    timeout 300 .ci/two-hosts run 2 $bin/$test
  done
done
