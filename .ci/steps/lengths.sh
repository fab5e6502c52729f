#!/bin/bash
# file lengths: headers aim at 200 lines and sources at 250; twice that fails
set -euo pipefail
. "$(dirname "$0")/../common.sh"
find lib kernels mpi_bindings examples tests benchmarks -type f \( -name '*.[ch]' -o -name '*.[ch]pp' -o -name '*.hip' \) |
  xargs wc -l | awk '
    $2 == "total" { next }
    { target = ($2 ~ /\.(h|hpp)$/) ? 200 : 250; files++; lines += $1 }
    $1 > 2 * target { print "too long: " $2 " has " $1 " lines, limit " 2 * target; bad = 1; next }
    $1 > target { print "long: " $2 " has " $1 " lines, target " target }
    END { print files " files, " lines " lines"; exit bad }'
