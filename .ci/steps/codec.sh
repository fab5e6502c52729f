#!/bin/bash
# a codec is one file: int5 from the tests' folder is built, listed and tested on all worlds without another edit
set -euo pipefail
. "$(dirname "$0")/../common.sh"
cmake --preset host-release -B build/extra-codec -DQR_EXTRA_CODECS="$root/tests/fixtures/codec/int5.hpp"
cmake --build build/extra-codec --parallel "$jobs"
build/extra-codec/benchmarks/qr_mpi_info --codecs | tee build/extra-codec/codecs.txt
grep -w int5 build/extra-codec/codecs.txt
run_ctest build/extra-codec -R 'codec|allreduce' -LE slow
