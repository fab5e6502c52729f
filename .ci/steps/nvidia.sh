#!/bin/bash
# builds for NVIDIA (sm_90) where nvcc is, and runs the host suites of that build with no device to be seen
set -euo pipefail
. "$(dirname "$0")/../common.sh"
nvcc=$(command -v nvcc || command -v /usr/local/cuda/bin/nvcc) ||
  skip "no nvcc on this machine, so nothing was compiled for NVIDIA"

# Kernels are made anew (a compiler cache gives them and their messages back): ptxas says registers and spills.
rm -rf build/nvidia/kernels/gpu
if command -v ccache >/dev/null; then export CMAKE_CUDA_COMPILER_LAUNCHER=ccache; fi
cmake -G Ninja -S . -B build/nvidia -DQR_GPU=nvidia -DQR_GPU_ARCHITECTURES=90 -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_FLAGS=-Xptxas=-v -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
cmake --build build/nvidia --parallel "$jobs" --target qr_gpu_kernels >build/nvidia/ptxas.log 2>&1 ||
  { cat build/nvidia/ptxas.log; exit 1; }
unit=(host_session_test packet_ops_test plan_test status_test)
mpi=(allreduce_test fallback_test raw_ops_test errors_test lifetime_test environment_test fr_07_subcommunicators_test
  fr_12_in_place_test fr_15_half_floats_test fr_24_no_gpu_test)
cmake --build build/nvidia --parallel "$jobs" --target \
  lib/all kernels/all mpi_bindings/all benchmarks/all examples/all tests/gpu/all "${unit[@]}" "${mpi[@]}"

heading "registers and spills"
benchmarks/isa build/nvidia/ptxas.log --check

heading "host suites of this build, without a device (FR-24)"
export CUDA_VISIBLE_DEVICES=
either() { (IFS='|' && echo "($*)"); }
run_ctest build/nvidia -LE slow -R "^$(either "${unit[@]}")|^$(either "${mpi[@]}")\\.np[12]$"
