#!/bin/sh
# Runs the benchmarks that results/ keeps and writes their tables and JSON: collect.sh BUILD_DIR RESULTS_DIR [RANKS...]
# The first of RANKS (default: 2) gets the full tables, the others (default: 8) the short ones.
set -eu
programs=$(cd "$1/benchmarks" && pwd)
mkdir -p "$2"
cd "$2"
shift 2
[ $# -gt 0 ] || set -- 2 8
: "${MPIEXEC:=mpirun}"

# keep NAME RANKS PROGRAM ARGUMENTS...: a failed check must not hide the tables that follow.
failed=0
keep() {
  name=$1 ranks=$2 program=$3
  shift 3
  echo "collect: $name" >&2
  "$MPIEXEC" -np "$ranks" "$programs/$program" "$@" --json "$name.json" >"$name.txt" || failed=1
}

keep "float_np$1" "$1" qr_mpi_bench -c raw -f 2 --stream
keep "16bit_np$1" "$1" qr_mpi_bench -c raw -t float16,bfloat16 -b 1K --stream
keep "16bit_plain_op_np$1" "$1" qr_mpi_bench -c raw -t float16,bfloat16 -b 1K --stream --user-op plain
keep "codecs_np$1" "$1" qr_mpi_bench -c all -t float,bfloat16 -b 1K -f 8 --stream
keep "algorithms_np$1" "$1" qr_mpi_bench -c raw,int4 -a exchange,two_shot,mpi -b 1K --stream
shift
for ranks in "$@"; do
  keep "float_np$ranks" "$ranks" qr_mpi_bench -c raw,int8,int4 --stream
  keep "startup_np$ranks" "$ranks" startup
done
keep accuracy_np8 8 accuracy
exit $failed
