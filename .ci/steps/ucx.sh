#!/bin/bash
# the MPI suites of 2 and 4 ranks with Open MPI over UCX in place of ob1
set -euo pipefail
. "$(dirname "$0")/../common.sh"
build_once host-release
# Selecting pml ucx makes MPI_Init fail where UCX cannot be had, so a pass means that it was used.
export OMPI_MCA_pml=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any
run_ctest build/host-release -L 'mpi|field' -LE slow -R '\.np[24]$'
