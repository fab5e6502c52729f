/* The smallest program: sums one vector over all ranks, exactly or with the codec named on the command line.
 *
 *   mpirun -np 8 ./example_hello int4                      the program chooses, through an MPI_Info
 *   QR_MPI_CODEC=int4 mpirun -np 8 ./example_hello         the user chooses, without touching the program
 */
#include <mpi.h>
#include <qr_mpi/qr_mpi.h>
#include <stdio.h>

enum { kCount = 4096 };
static float values[kCount], sums[kCount];

static void check(int code) {
  if (code == MPI_SUCCESS) return;
  fprintf(stderr, "%s\n", qr_mpi_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  MPI_Comm comm;
  int rank, ranks;
  check(MPI_Init(&argc, &argv));
  check(MPI_Comm_dup(MPI_COMM_WORLD, &comm)); /* settings belong to a communicator: ours, not everybody's */
  check(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  check(MPI_Comm_rank(comm, &rank));
  check(MPI_Comm_size(comm, &ranks));
  if (argc > 1) {
    MPI_Info info;
    check(MPI_Info_create(&info));
    check(MPI_Info_set(info, "codec", argv[1]));
    check(qr_mpi_comm_set_info(comm, info));
    check(MPI_Info_free(&info));
  }
  for (int i = 0; i < kCount; ++i) values[i] = (float)((rank + 1) * (i + 1)) / kCount;
  check(qr_mpi_allreduce(values, sums, kCount, MPI_FLOAT, MPI_SUM, comm));
  const double last = ranks * (ranks + 1) / 2.0; /* the exact sum of the last elements */
  if (rank == 0)
    printf("%d ranks: middle %.6f (exact %.6f), last %.6f (exact %.6f)\n", ranks, sums[kCount / 2 - 1],
           last / 2, sums[kCount - 1], last);
  check(MPI_Comm_free(&comm));
  return MPI_Finalize();
}
