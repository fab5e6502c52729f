#!/bin/bash
# clang-tidy 14 finds nothing in the library's host sources and their headers
set -euo pipefail
. "$(dirname "$0")/../common.sh"
cmake --preset host-release >/dev/null
find lib kernels mpi_bindings -name '*.cpp' -not -path '*/hip/*' -not -path '*/gpu/*' -not -path '*/platform/*' | sort |
  xargs -P "$jobs" -n 1 clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p build/host-release
