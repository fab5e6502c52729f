#!/bin/bash
# clang-format 14 would change nothing
set -euo pipefail
. "$(dirname "$0")/../common.sh"
find lib kernels mpi_bindings examples tests benchmarks -name '*.[ch]' -o -name '*.[ch]pp' | sort |
  xargs clang-format-14 --dry-run --Werror
