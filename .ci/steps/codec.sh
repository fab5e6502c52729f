#!/bin/bash
# a codec is one file: int5 from the tests' folder is built, listed and tested on all worlds without another edit
set -euo pipefail
. "$(dirname "$0")/../common.sh"
cmake --preset host-release -B build/extra-codec -DQR_EXTRA_CODECS="$root/tests/fixtures/codec/int5.hpp"
cmake --build build/extra-codec --parallel "$jobs" --target qr_mpi_info codec_test packet_ops_test allreduce_test
mpirun -np 1 build/extra-codec/benchmarks/qr_mpi_info | tee build/extra-codec/info.txt
grep -w int5 build/extra-codec/info.txt
export QR_TEST_CODECS=int5
run_ctest build/extra-codec -R 'codec|packet_ops|allreduce'
