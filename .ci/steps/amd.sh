#!/bin/bash
# compiles and links the GPU build for gfx942 and gfx950 with clang-22 against HIP 6.4, and some units against 5.7 and 7.2
set -euo pipefail
. "$(dirname "$0")/../common.sh"
.ci/setup amd || { echo "the compiler for AMD GPUs cannot be installed: packages above" >&2; exit 1; }
compiler=$(command -v clang++-22) || { echo "clang++-22 is missing after .ci/setup amd" >&2; exit 1; }

# configure BUILD_FOLDER MAJOR SUITES FLAGS: with HIP MAJOR out of the first of these suites that has it. Before 7.0 the
# headers want a macro that this Clang no longer defines; ROCm's own compilers need none of the flags.
configure() {
  local folder=$1 headers=$root/build/hip-$2
  .ci/hip-headers "$headers" "$2" $3
  heading "HIP $(grep -h VERSION_M "$headers/share/hip/version" | sed 's/.*_VERSION_//' | paste -sd' ')"
  ROCM_PATH=$headers cmake -G Ninja -S . -B "$folder" -DQR_GPU=amd -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DCMAKE_HIP_COMPILER="$compiler" \
    -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined \
    -DCMAKE_HIP_FLAGS="--rocm-path=$headers -Wl,--allow-shlib-undefined -D__AMDGCN_WAVEFRONT_SIZE=64 -Wno-unused-command-line-argument $4"
}
if command -v ccache >/dev/null; then export CMAKE_HIP_COMPILER_LAUNCHER=ccache; fi

configure build/amd 6 "forky sid" ""
# All but the host tests, whose sources this build shares with host-release.
cmake --build build/amd --parallel "$jobs" --target \
  lib/all kernels/all mpi_bindings/all benchmarks/all examples/all tests/gpu/all qr_codec_kernels

# These two's libraries want more of the C library than is here, which CMake's first look at the compiler would run into.
# What calls HIP, and kernels of each kind.
units=kernels/gpu/CMakeFiles/qr_gpu_kernels.dir
some=($units/control.hip.o $units/units/int4_BFloat16.hip.o $units/units/raw_Float32.hip.o)
for source in lib/backends/hip/*.cpp; do some+=("lib/CMakeFiles/qr_core.dir/${source#lib/}.o"); done
configure build/amd-5 5 trixie "-mcode-object-version=5 -Wl,--allow-shlib-undefined"
cmake --build build/amd-5 --parallel "$jobs" --target "${some[@]}"
configure build/amd-7 7 "experimental sid forky" "-Wl,--allow-shlib-undefined"
cmake --build build/amd-7 --parallel "$jobs" --target "${some[@]}" $units/units/fp8_Float16.hip.o
