#!/bin/bash
# FR-21: ranks in PID namespaces of their own, so that process ids are equal and say nothing: right sums, and a
# line that says which road was taken. Then with IPC namespaces of their own as well, and with a /dev/shm.
. "$(dirname "$0")/../support/script.sh"
unshare --pid --fork --mount-proc true 2>/dev/null || skip "unshare --pid --mount-proc is not allowed here"

# MPI's shared memory trusts process ids; that is not what is tested.
export OMPI_MCA_btl=self,tcp QR_MPI_LOG=2
road=$QR_TEST_BIN/road_test

expect() {
  local what=$1 line=$2
  shift 2
  run 2 unshare --pid --fork --mount-proc "$@" || { show_log; fail "$what"; }
  grep -qE "$line" "$scratch/log" || { show_log; fail "$what: no line like '$line'"; }
  echo "$what: $(grep -oE "$line.*" "$scratch/log" | head -1)"
}

QR_TEST_ROAD=own expect "own PID namespaces" '2 ranks: host memory' "$road"
QR_TEST_ROAD=own expect "own PID and IPC namespaces" '2 ranks: host memory' --ipc "$road"
# MPICH itself cannot start then.
if "${mpiexec[0]}" --version 2>&1 | grep -qE 'Open MPI|OpenRTE|PRRTE'; then
  QR_TEST_ROAD=mpi expect "own PID namespaces and /dev/shm" '2 ranks go through MPI: ' \
    bash -c "mount -t tmpfs none /dev/shm && exec '$road'"
fi
echo PASSED
