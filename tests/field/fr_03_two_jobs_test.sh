#!/bin/bash
# FR-03, second case: two jobs at once on one machine, a thousand calls each with data of their own: no cross-talk.
. "$(dirname "$0")/../support/script.sh"

for job in 1 2; do
  QR_TEST_JOB=$job timeout 240 "${mpiexec[@]}" -n 2 "$QR_TEST_BIN/fr_03_wrong_neighbour_test" \
    --gtest_filter='*AThousandCalls*' >"$scratch/log.$job" 2>&1 &
  jobs[job]=$!
done
for job in 1 2; do
  wait "${jobs[job]}" || { cat "$scratch/log.$job"; fail "job $job"; }
  grep -q 'PASSED.*1 test' "$scratch/log.$job" || { cat "$scratch/log.$job"; fail "job $job ran no test"; }
done
echo PASSED
