#!/bin/bash
# Builds for the GPUs of this machine, runs every device test, then the measurements. One command:
#   tests/gpu/run.sh OUTPUT_FOLDER [nvidia|amd] [extra cmake arguments]
# Leaves in OUTPUT_FOLDER: summary.txt, a log a step, results.json; of qr_mpi_tune tuning.txt; of qr_mpi_bench bench_*.txt,
# bench_*.json and, where there is matplotlib, speedup-*.svg and *.png. Exit code 0 when every test passed.
# With fewer GPUs than ranks the ranks share one under CUDA MPS, which is started and stopped here.
# QR_RUN_BUILD: build folder (default OUTPUT_FOLDER/build). QR_RUN_STEPS: names of the steps to run (default: all).
# QR_RUN_TESTS: regular expression for the tests of the steps device and on_device. QR_TEST_MANAGED=1: managed memory too.
# QR_RUN_NCCL: file of NCCL or RCCL, where neither the loader nor Python's packages have it.
# Needs the packages that qr_mpi_bench needs for building it: CLI11, fmt, nlohmann-json; left out without them.
# For runtimes other than a GPU's own, such as an emulator: QR_RUN_LAUNCHER: words before every command that uses the device;
# QR_RUN_RANKS: the worlds of all tests; QR_TEST_SLOWER, QR_TEST_MOST_VALUES: see effort.hpp.
set -u
if [ $# -lt 1 ]; then sed -n '2,13s/^# //p' "$0"; exit 2; fi
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
gpu=${2:-nvidia}
shift $(( $# < 2 ? $# : 2 ))
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=${QR_RUN_BUILD:-$out/build}
bin=$build/tests/gpu/bin
failed=0
slower=${QR_TEST_SLOWER:-1}
read -r -a launcher <<< "${QR_RUN_LAUNCHER:-}"
: > "$out/summary.txt"
say() { echo "$*" | tee -a "$out/summary.txt"; }

# step NAME SECONDS COMMAND...: one line in the summary, the whole output in NAME.log.
step() {
  local name=$1 seconds=$2 begin=$SECONDS code
  shift 2
  if [ -n "${QR_RUN_STEPS:-}" ] && [[ " $QR_RUN_STEPS build " != *" ${name%%.*} "* ]]; then return 0; fi
  timeout -k 5 $((seconds * slower)) "$@" > "$out/$name.log" 2>&1
  code=$?
  if grep -q "SKIPPED: no device in this process" "$out/$name.log"; then code=77; fi
  if [ $code -eq 0 ]; then say "ok      $name ($((SECONDS - begin)) s)"; return 0; fi
  say "FAILED  $name (code $code, $((SECONDS - begin)) s)"
  tail -n 15 "$out/$name.log" | sed 's/^/          /' | tee -a "$out/summary.txt"
  failed=1
  return 1
}

build_all() {  # runs in a shell of its own, under the step's time limit
  cmake -S "$source_dir" -B "$build" -DQR_GPU="$gpu" -DCMAKE_BUILD_TYPE=Release -DQR_BUILD_EXAMPLES=OFF "$@" &&
    cmake --build "$build" -j "$(nproc)" --target qr_device_tests &&
    if cmake --build "$build" --target help | grep -qw qr_mpi_bench; then
      cmake --build "$build" -j "$(nproc)" --target qr_mpi_bench qr_mpi_tune
    fi
}
export -f build_all
export source_dir build gpu
step build 540 bash -c 'build_all "$@"' build "$@"
[ -x "$bin/bits_test" ] || { say "nothing to run"; exit 1; }

export QR_MPI_SHARED_DEVICE=1
mps=0
if [ "$gpu" = nvidia ]; then
  gpus=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null)
  say "GPUs: $(echo "$gpus" | sort | uniq -c | sed 's/^ *//' | paste -sd';')"
  if [ "$(echo "$gpus" | wc -l)" -lt 8 ] && command -v nvidia-cuda-mps-control > /dev/null; then
    export CUDA_MPS_PIPE_DIRECTORY=$out/mps/pipe CUDA_MPS_LOG_DIRECTORY=$out/mps/log
    mkdir -p "$CUDA_MPS_PIPE_DIRECTORY" "$CUDA_MPS_LOG_DIRECTORY"
    timeout 20 nvidia-cuda-mps-control -d && mps=1
  fi
fi
if [ "$gpu" = amd ]; then
  # No tool of ROCm's needs to be there: this program asks HIP, and so obeys the *_VISIBLE_DEVICES.
  devices=$(timeout $((60 * slower)) "${launcher[@]}" "$bin/device_count") || devices=0
  gpus=$(timeout $((60 * slower)) "${launcher[@]}" rocminfo 2>/dev/null | sed -n 's/^ *Marketing Name: *//p' | grep -i -e radeon -e instinct)
  say "GPUs: $devices that HIP sees${gpus:+; rocminfo: $(echo "$gpus" | sort | uniq -c | sed 's/^ *//' | paste -sd';')}"
fi
stop_mps() { [ $mps -eq 1 ] && echo quit | timeout 10 nvidia-cuda-mps-control > /dev/null 2>&1; rm -rf "$out/mps"; }
trap stop_mps EXIT

step codes 60 "${launcher[@]}" "$bin/codes_test"
for ranks in ${QR_RUN_RANKS:-2 1 3 4 5 7 8}; do step bits.$ranks 120 "${launcher[@]}" "$bin/bits_test" $ranks; done
for ranks in ${QR_RUN_RANKS:-2 3 8}; do step fault.$ranks 90 "${launcher[@]}" "$bin/fault_test" $ranks; done
for ranks in ${QR_RUN_RANKS:-2 4}; do step stream.$ranks 120 "${launcher[@]}" "$bin/stream_test" $ranks; done
mpirun_flags="--oversubscribe --bind-to none"
mpirun --version 2>/dev/null | grep -q "Open MPI" || mpirun_flags=""
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for ranks in ${QR_RUN_RANKS:-1 2 4}; do
  step mpi.$ranks 120 mpirun -n $ranks $mpirun_flags "${launcher[@]}" "$bin/mpi_device_test"
done
# Field reports and roads under mpirun, then the public API's tests with their buffers on the device; with one GPU also
# where ranks may not share it. The logs have a line a test. Here a skipped one is a failure.
ctest_of() {  # ctest_of LABEL REGEX
  local log
  log=$(ctest --test-dir "$build" -L "^$1\$" -R "$2" --output-on-failure --no-tests=error --timeout 100)
  local code=$?
  echo "$log"
  [ $code -eq 0 ] && ! grep -q "(Skipped)" <<< "$log"
}
export -f ctest_of
tests=${QR_RUN_TESTS:-.}
step device 580 bash -c 'ctest_of device "$1"' ctest "$tests"
QR_MPI_SHARED_DEVICE=0 step device_staged 300 bash -c 'ctest_of device "(staged|order|kinds)_test"'
step on_device 580 bash -c 'ctest_of on_device "$1"' ctest "$tests"
QR_TEST_MEMORY=stream step on_stream 300 bash -c 'ctest_of on_device "allreduce_test.np[24]|fr_12|fr_25|fr_26"'
step codecs 100 "${launcher[@]}" "$bin/codec_speed"
[ ! -s "$out/codecs.log" ] || cat "$out/codecs.log" >> "$out/summary.txt"
step overhead 60 mpirun -n 2 $mpirun_flags "${launcher[@]}" "$bin/call_overhead"
[ ! -s "$out/overhead.log" ] || cat "$out/overhead.log" >> "$out/summary.txt"

# The times of calls: as many ranks as GPUs, without MPS; two under MPS on a single one.
bench=$build/benchmarks/qr_mpi_bench
case $gpu in
  nvidia) devices=$(echo "$gpus" | grep -c .) nccl=libnccl.so.2 ;;
  *) nccl=librccl.so.1 ;;
esac
ranks=$((devices > 1 ? devices : 2))
[ $ranks -le 16 ] || ranks=16
alone=""
[ "$devices" -le 1 ] || alone="env -u CUDA_MPS_PIPE_DIRECTORY -u CUDA_MPS_LOG_DIRECTORY"
if [ -z "${QR_RUN_NCCL:-}" ] && ! ldconfig -p 2>/dev/null | grep -q "$nccl"; then
  # Python's packages bring one along.
  QR_RUN_NCCL=$(timeout 20 python3 -c '
import glob, sys
print(next((f for p in sys.path for f in glob.glob(p + "/nvidia/nccl/lib/'$nccl'") + glob.glob(p + "/torch/lib/'$nccl'")), ""))' 2>/dev/null)
fi

# measure NAME SECONDS ARGUMENTS...: table and JSON of a run of qr_mpi_bench on device memory.
measure() {
  local name=$1 seconds=$2
  shift 2
  step "bench_$name" "$seconds" $alone mpirun -n "$ranks" $mpirun_flags "${launcher[@]}" "$bench" --memory device ${QR_RUN_NCCL:+--nccl "$QR_RUN_NCCL"} \
    --json "$out/bench_$name.json" "$@"
  if [ -s "$out/bench_$name.log" ]; then
    grep -E '^(#| |[0-9]+ )' "$out/bench_$name.log" > "$out/bench_$name.txt"
    cat "$out/bench_$name.txt" >> "$out/summary.txt"
  fi
}
if [ -x "$bench" ]; then
  # The table is kept with the figures; qr_mpi_bench measures the one that is built in. How well plans do is a figure, not a test.
  step tune 150 $alone mpirun -n "$ranks" $mpirun_flags "${launcher[@]}" "$build/benchmarks/qr_mpi_tune" -o "$out/tuning.txt"
  [ ! -s "$out/tune.log" ] || cat "$out/tune.log" >> "$out/summary.txt"
  measure graph 300 --mode graph -c all -a exchange,two_shot -t float16 -b 4K -e 64M -f 4 --seconds 0.1
  # Checking the sums of so many values on the host takes longer than the calls.
  measure large 300 --mode graph -c raw,int8,int6,int4,int3 -a exchange,two_shot -t float16 -b 256M -e 1G -f 4 --seconds 0.1 --no-mpi --no-check
  measure eager 120 --mode eager,blocking -c raw,int8,int4 -t float16 -b 4K -e 64M -f 16 --seconds 0.1
else
  say "left out: qr_mpi_bench was not built"
fi
for python in python3 /usr/bin/python3; do
  [ -s "$out/bench_graph.json" ] && timeout 60 $python -c "import matplotlib" > /dev/null 2>&1 || continue
  step plot 120 $python "$source_dir/benchmarks/plot" "$out/bench_graph.json" "$out/bench_large.json" -o "$out/speedup"
  break
done
{
  echo "{\"date\":\"$(date -u +%FT%TZ)\",\"commit\":\"$(git -C "$source_dir" rev-parse --short HEAD 2>/dev/null)\","
  echo "\"machine\":\"$(uname -m)\",\"gpus\":\"$(echo "${gpus:-}" | paste -sd';')\",\"codecs\":["
  grep -h '^{' "$out/codecs.log" 2>/dev/null | paste -sd, ; echo "]}"
} > "$out/results.json"
say "$([ $failed -eq 0 ] && echo "all passed" || echo "SOMETHING FAILED")"
exit $failed
