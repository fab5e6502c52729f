# What test scripts share: the launcher, a scratch directory, and how a script passes, fails or is skipped. CTest
# sets QR_TEST_BIN (folder of the test programs) and QR_TEST_MPIEXEC (launcher with flags, without a rank count).
set -uo pipefail
read -ra mpiexec <<<"$QR_TEST_MPIEXEC"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/qr_mpi_test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# MPI's own segments are not what is looked for: they go where they are removed, whatever happens to the ranks.
export OMPI_MCA_btl_vader_backing_directory=$scratch

fail() {
  echo "FAILED: $*"
  exit 1
}
skip() {
  echo "SKIPPED: $*"
  exit 77
}

# run RANKS COMMAND...: all output goes to $scratch/log; the launcher's exit code is returned.
run() {
  local ranks=$1
  shift
  timeout 120 "${mpiexec[@]}" -n "$ranks" "$@" >"$scratch/log" 2>&1
}
show_log() { sed 's/^/  | /' "$scratch/log"; }
