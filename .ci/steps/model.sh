#!/bin/bash
# the model of links gives what can be written down, and the published and measured figures within 20 %
set -euo pipefail
. "$(dirname "$0")/../common.sh"
python3 tests/tools/model_test.py benchmarks
benchmarks/model --check
