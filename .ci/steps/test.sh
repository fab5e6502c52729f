#!/bin/bash
# the README's test command, with warnings as errors: release build, all tests over Open MPI
set -euo pipefail
. "$(dirname "$0")/../common.sh"
QR_TEST_CMAKE_OPTIONS="-DCMAKE_COMPILE_WARNING_AS_ERROR=ON" "$root/.ci/test"
