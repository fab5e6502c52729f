#!/bin/bash
# install, move the tree, then build and run tests, examples and a C99 program against it by CMake and pkg-config
set -euo pipefail
. "$(dirname "$0")/../common.sh"
work=$root/build/package
rm -rf "$work"
mkdir -p "$work"

heading "install, then move what was installed"
build host-release
cmake --install build/host-release --prefix "$work/first" >/dev/null
mv "$work/first" "$work/prefix"
prefix=$work/prefix
library=$(find "$prefix" -name libqr_mpi.so)
libdir=$(dirname "$library")
find "$prefix" \( -type f -o -type l \) -printf '%P\n' | sort

heading "the library names itself, and exports nothing but its API and MPI's entry points"
readelf -d "$library" | grep -E 'SONAME.*\[libqr_mpi\.so\.[0-9.]+\]'
strangers=$(nm -D --defined-only "$library" | awk '$3 !~ /^(qr_mpi_|MPI_|mpi_)/ { print $3 }')
if [ -n "$strangers" ]; then
  echo "$strangers" | c++filt
  exit 1
fi

heading "tests against the package"
cmake -S tests -B "$work/tests" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/tests" --parallel "$jobs"
run_ctest "$work/tests" -R '\.np[234]$' -LE slow

heading "examples, from where they were installed"
cmake -S "$prefix/share/qr_mpi/examples" -B "$work/examples" -G Ninja -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/examples" --parallel "$jobs"
mpirun -np 4 "$work/examples/example_hello" int4
mpirun -np 2 "$work/examples/example_tensor_parallel" --passes 1

heading "a C99 program by pkg-config, and the installed tools"
export PKG_CONFIG_PATH=$libdir/pkgconfig
pkg-config --modversion qr_mpi
mpicc -std=c99 -pedantic -Wall -Wextra -Werror examples/01_hello.c $(pkg-config --cflags --libs qr_mpi) -o "$work/hello"
export LD_LIBRARY_PATH=$libdir
QR_MPI_CODEC=int8 mpirun -np 2 "$work/hello"
unset LD_LIBRARY_PATH
mpirun -np 2 "$prefix/bin/qr_mpi_info"
