#!/bin/bash
# Builds for the GPUs of this machine, runs every device test, then the measurements. One command:
#   tests/gpu/run.sh OUTPUT_FOLDER [nvidia|amd] [extra cmake arguments]
# Leaves in OUTPUT_FOLDER: summary.txt, a log a step, results.json. Exit code 0 when every test passed.
# With fewer GPUs than ranks the ranks share one under CUDA MPS, which is started and stopped here.
# QR_RUN_BUILD: build folder (default OUTPUT_FOLDER/build). QR_RUN_STEPS: names of the steps to run (default: all).
set -u
if [ $# -lt 1 ]; then sed -n '2,7s/^# //p' "$0"; exit 2; fi
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
gpu=${2:-nvidia}
shift $(( $# < 2 ? $# : 2 ))
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
build=${QR_RUN_BUILD:-$out/build}
bin=$build/tests/gpu/bin
failed=0
: > "$out/summary.txt"
say() { echo "$*" | tee -a "$out/summary.txt"; }

# step NAME SECONDS COMMAND...: one line in the summary, the whole output in NAME.log.
step() {
  local name=$1 seconds=$2 begin=$SECONDS code
  shift 2
  if [ -n "${QR_RUN_STEPS:-}" ] && [[ " $QR_RUN_STEPS build " != *" ${name%%.*} "* ]]; then return 0; fi
  timeout -k 5 "$seconds" "$@" > "$out/$name.log" 2>&1
  code=$?
  if [ $code -eq 0 ]; then say "ok      $name ($((SECONDS - begin)) s)"; return 0; fi
  say "FAILED  $name (code $code, $((SECONDS - begin)) s)"
  tail -n 15 "$out/$name.log" | sed 's/^/          /' | tee -a "$out/summary.txt"
  failed=1
  return 1
}

build_all() {  # runs in a shell of its own, under the step's time limit
  cmake -S "$source_dir" -B "$build" -DQR_GPU="$gpu" -DCMAKE_BUILD_TYPE=Release -DQR_BUILD_EXAMPLES=OFF "$@" &&
    cmake --build "$build" -j "$(nproc)" --target bits_test stream_test fault_test mpi_device_test codec_speed call_speed
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
stop_mps() { [ $mps -eq 1 ] && echo quit | timeout 10 nvidia-cuda-mps-control > /dev/null 2>&1; rm -rf "$out/mps"; }
trap stop_mps EXIT

for ranks in 2 1 3 4 5 7 8; do step bits.$ranks 120 "$bin/bits_test" $ranks; done
for ranks in 2 3 8; do step fault.$ranks 90 "$bin/fault_test" $ranks; done
for ranks in 2 4; do step stream.$ranks 120 "$bin/stream_test" $ranks; done
mpirun_flags="--oversubscribe --bind-to none"
mpirun --version 2>/dev/null | grep -q "Open MPI" || mpirun_flags=""
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for ranks in 1 2 4; do step mpi.$ranks 120 mpirun -n $ranks $mpirun_flags "$bin/mpi_device_test"; done
step codecs 100 "$bin/codec_speed" && cat "$out/codecs.log" >> "$out/summary.txt"
step calls.2 100 "$bin/call_speed" 2 && cat "$out/calls.2.log" >> "$out/summary.txt"
{
  echo "{\"date\":\"$(date -u +%FT%TZ)\",\"commit\":\"$(git -C "$source_dir" rev-parse --short HEAD 2>/dev/null)\","
  echo "\"machine\":\"$(uname -m)\",\"gpus\":\"$(echo "${gpus:-}" | paste -sd';')\",\"codecs\":["
  grep -h '^{' "$out/codecs.log" 2>/dev/null | paste -sd, ; echo "],\"calls\":["
  grep -h '^{' "$out"/calls.*.log 2>/dev/null | paste -sd, ; echo "]}"
} > "$out/results.json"
say "$([ $failed -eq 0 ] && echo "all passed" || echo "SOMETHING FAILED")"
exit $failed
