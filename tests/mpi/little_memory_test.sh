#!/bin/bash
# A directory for arenas that is too small, or that ranks do not share: all ranks go through MPI, with right sums
# and a line that says why. Nobody gets a SIGBUS.
. "$(dirname "$0")/../support/script.sh"
unshare --mount true 2>/dev/null || skip "unshare --mount is not allowed here"

expect_mpi() {
  local what=$1
  shift
  QR_TEST_ROAD=mpi QR_MPI_LOG=2 OMPI_MCA_btl=self,tcp run 3 "$@" || { show_log; fail "$what"; }
  grep -q 'go through MPI: ' "$scratch/log" || { show_log; fail "$what: no line says why"; }
}

mkdir "$scratch/small"
cat >"$scratch/in_small" <<'END'
mount -t tmpfs -o size=64k none "$1" || exit 1
export QR_MPI_SHM_DIR=$1
shift
exec "$@"
END
cat >"$scratch/in_private" <<'END'
mount -t tmpfs none "$1" || exit 1
export QR_MPI_SHM_DIR=$1
exec "$2"
END
expect_mpi "a directory of 64 KiB a rank" \
  unshare --mount bash "$scratch/in_small" "$scratch/small" "$QR_TEST_BIN/road_test"
expect_mpi "a directory of its own for each rank" \
  unshare --mount bash "$scratch/in_private" "$scratch/small" "$QR_TEST_BIN/road_test"

# One directory for all, which holds the first arenas but not the last.
mpiexec=(unshare --mount bash -c
  'mount -t tmpfs -o size=12m none "$0" && export QR_MPI_SHM_DIR=$0 && exec "$@"' "$scratch/small" "${mpiexec[@]}")
expect_mpi "a directory that holds one arena of three" "$QR_TEST_BIN/road_test"
echo PASSED
