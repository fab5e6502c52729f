#!/bin/bash
# Nothing is left in /dev/shm or in shm_dir after a normal exit, an error that stops the program, MPI_Abort, or
# SIGKILL of all ranks right after the first call.
. "$(dirname "$0")/../support/script.sh"

# Names that MPI makes are its own affair.
names_in() { ls -A "$1" | grep -vE '^(vader_segment|sm_segment|osc_|mpich|ucx_)'; }

arenas=$scratch/arenas
mkdir "$arenas"
names_in /dev/shm >"$scratch/before"
for end in normal fatal abort kill; do
  for directory in auto "$arenas" /dev/shm; do
    QR_TEST_END=$end QR_MPI_SHM_DIR=$directory \
      run 3 "$QR_TEST_BIN/leftovers_test" --gtest_filter=Leftovers.EndsAsAsked
    code=$?
    for rank in 0 1 2; do
      grep -q "rank $rank is ready to end: $end" "$scratch/log" ||
        { show_log; fail "rank $rank did not get to the end '$end'"; }
    done
    [ $code -ne 124 ] || fail "$end in $directory did not end"
    if [ $end = normal ]; then
      [ $code -eq 0 ] || { show_log; fail "a normal end gave exit code $code"; }
    else
      [ $code -ne 0 ] || { show_log; fail "end '$end' gave exit code 0"; }
    fi
    if [ $end = fatal ]; then
      grep -q 'count is -1' "$scratch/log" || { show_log; fail "the program was stopped without a word why"; }
    fi
    [ -z "$(names_in "$arenas")" ] || fail "end '$end' left in shm_dir: $(names_in "$arenas")"
  done
done
# Other programs' names may come and go; what this script's ranks left stays.
for _ in $(seq 50); do
  left=$(names_in /dev/shm | grep -vxFf "$scratch/before")
  [ -n "$left" ] || break
  sleep 0.1
done
[ -z "$left" ] || fail "left in /dev/shm: $left"
echo PASSED
