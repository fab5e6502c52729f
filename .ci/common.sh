# What all scripts here share: where the repository is, how MPI is started on a small machine, and how builds are made.
# Sourced by bash scripts that set -euo pipefail themselves.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
jobs=${QR_JOBS:-$(nproc)}

# More ranks than cores, and root where we are root (CI, containers): Open MPI wants to be told. Versions 4 and 5.
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
fi

# skip REASON: ends a step that cannot run on this machine; it counts as neither passed nor failed.
skip() { echo "skipped: $*"; exit 77; }

heading() { printf '\n== %s\n' "$*"; }

# build PRESET [cmake options...]: configures and builds everything of that preset in build/PRESET.
build() {
  local preset=$1
  shift
  cmake --preset "$preset" "$@"
  cmake --build --preset "$preset" --parallel "$jobs" -- -k 0
}

# build_once PRESET: the same, unless an earlier step did it.
build_once() {
  [ -f "build/$1/CTestTestfile.cmake" ] || build "$1"
}

# run_ctest FOLDER [ctest options...]: runs the tests of a build folder; a folder without tests is a failure.
run_ctest() {
  local folder=$1
  shift
  ctest --test-dir "$folder" --parallel "$jobs" --output-on-failure --no-tests=error "$@"
}
