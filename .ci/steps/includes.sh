#!/bin/bash
# layers include one way only: examples, tests, benchmarks -> mpi_bindings -> lib -> kernels
set -euo pipefail
. "$(dirname "$0")/../common.sh"

bad=0
# forbid WHAT PATTERN FOLDER...: no #include in the folders may match the extended regular expression.
forbid() {
  local what=$1 pattern=$2
  shift 2
  if grep -rnE --include='*.[ch]' --include='*.[ch]pp' --include='*.hip' --include='*.in' "^\s*#\s*include\s*[<\"]$pattern" "$@"; then
    echo "^ $what"
    bad=1
  fi
}
gpu_free=$(find lib kernels mpi_bindings examples tests benchmarks -name '*.[ch]*' \
  -not -path 'lib/backends/hip/*' -not -path 'kernels/platform/*' -not -path 'kernels/gpu/*' -not -path '*s/gpu/*' -type f)
forbid "mpi.h belongs to mpi_bindings and its users" 'mpi\.h[>"]' lib kernels
forbid "HIP and CUDA belong to lib/backends/hip, kernels/{platform,gpu} and {tests,benchmarks,examples}/gpu" '(hip/|hip_|cuda|nv_|nccl|rccl)' $gpu_free
forbid "kernels may not see lib or mpi_bindings" '((\.\./)*lib/|(\.\./)*mpi_bindings/|qr_mpi/)' kernels
forbid "lib may not see mpi_bindings" '((\.\./)*mpi_bindings/|qr_mpi/)' lib
forbid "the library may not see its users" '(\.\./)*(tests|examples|benchmarks)/' lib kernels mpi_bindings
forbid "examples and MPI tests see the public header only" '(\.\./)*(lib|kernels|mpi_bindings)/' examples $(find tests/mpi tests/field -type d 2>/dev/null || true)
exit $bad
