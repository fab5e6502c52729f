/* qr_mpi: all-reduce for MPI programs that moves 3 to 8 bits a value, or 16 exact ones, through memory the
 * ranks share.
 *
 * This header is the manual. It is C99 and C++.
 *
 *   #include <mpi.h>
 *   #include <qr_mpi/qr_mpi.h>
 *   ...
 *   qr_mpi_allreduce(gradient, sum, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);    // exact, like MPI_Allreduce
 *
 *   $ QR_MPI_CODEC=int4 mpirun -np 8 ./program                                 // 4.5 bits a value instead
 *
 * There is nothing to initialise and nothing to free: what the library knows of a communicator is an
 * attribute of it, made by the first call on it and freed with it (for MPI_COMM_WORLD and MPI_COMM_SELF: by
 * MPI_Finalize).
 *
 * 1. Calls            qr_mpi_allreduce, qr_mpi_allreduce_c
 * 2. Settings         qr_mpi_comm_set_info, qr_mpi_comm_get_info
 * 3. 16-bit types     qr_mpi_type_float16, qr_mpi_type_bfloat16
 * 4. Codecs           qr_mpi_codec_count, _name, _bits_per_value, _error
 * 5. Errors           qr_mpi_last_error, classes
 * 6. Plans            qr_mpi_comm_plan, qr_mpi_comm_plan_on_device, qr_mpi_comm_prediction_on_device
 * 7. Version
 *
 * Threads: as MPI's own rule for the level that MPI_Init_thread gave. With MPI_THREAD_MULTIPLE different
 * threads may call on different communicators at once; two calls on one communicator must not overlap.
 */
#ifndef QR_MPI_QR_MPI_H
#define QR_MPI_QR_MPI_H

#include <mpi.h>

#include "qr_mpi/version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define QR_MPI_API __attribute__((visibility("default")))
#else
#define QR_MPI_API
#endif

/* ---- 1. Calls -------------------------------------------------------------------------------- */

/** All-reduce, with the arguments, the meaning and the errors of MPI_Allreduce. Collective over `comm`,
 * blocking.
 *
 *  Everything that MPI_Allreduce accepts is right here: any count, datatype, op, MPI_IN_PLACE, intra- and
 *  intercommunicators. What the library's own path does not cover goes to MPI_Allreduce, decided alike on all
 * ranks. The own path covers ranks of one node that share memory, MPI_FLOAT and MPI_DOUBLE (and their Fortran
 * names) and the 16-bit types of section 3, with MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX.
 *
 *  Lossy codecs apply to MPI_SUM of float and of the 16-bit types; other combinations stay exact. All ranks
 * get the same bits, and the same inputs give the same bits in every run. The error of a value is at most
 * codec_error * (S + |R|), with S the sum over ranks of the largest magnitudes of the value's block of 32,
 * and R that of the result's block.
 *
 *  sendbuf, recvbuf: `count` elements each; they must not overlap unless sendbuf is MPI_IN_PLACE.
 *  Returns MPI_SUCCESS or an error code, after the communicator's error handler was called. */
QR_MPI_API int qr_mpi_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm);

/** The same with a count of any size (the shape of MPI 4's MPI_Allreduce_c; works over MPI 3 too). */
QR_MPI_API int qr_mpi_allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype,
                                  MPI_Op op, MPI_Comm comm);

/** The same on buffers in device memory, ordered on `stream` (a hipStream_t or cudaStream_t; NULL: the
 * default stream) and returning at once where the device arenas serve: work queued on the stream before is
 * seen, work queued behind it sees the result. Such a call may be captured into a graph and the graph
 * replayed any number of times, between other calls on that stream. Calls on different streams of one
 * communicator are ordered by the library, graph replays by the caller. The first call on device memory sets
 * up and cannot be captured. What has to go through host memory, or to MPI, waits for the work before it and
 * for the peers, has the same place in the stream, and cannot be captured either. Where calls on several
 * communicators run on one device at the same time (threads), set device_share on each (see README's limits
 * too). A failure after the call has returned is reported by the next call on `comm`.
 *
 *  qr_mpi_allreduce takes device memory too: it waits for the work on the default stream, and returns with
 * the result. Both buffers lie on the current device. All ranks must pass the same kind of memory: where they
 * do not, all get QR_MPI_ERR_MISMATCH, and the communicator can only be freed if a call was under way. */
QR_MPI_API int qr_mpi_allreduce_on_stream(const void *sendbuf, void *recvbuf, MPI_Count count,
                                          MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, void *stream);

/* ---- 2. Settings ----------------------------------------------------------------------------- */

/** Changes settings of `comm`. Collective, blocking; all ranks must pass the same keys and values (except
 * `log`). Keys, each also an environment variable QR_MPI_<KEY> that is read when a communicator is first
 * used:
 *
 *    codec        raw (default), int8, int6, int4, int3, fp8, fp4, or auto
 *    auto_codec   what auto may use where it is faster than raw (default int8)
 *    algorithm    auto (default), exchange, two_shot, mpi
 *    min_bytes    messages shorter than this many bytes stay exact (default 0)
 *    timeout_ms   longest wait for a peer within one call (default 300000); set-up, in the first call on a
 *                 communicator, and what goes to MPI wait in MPI, which has no such limit
 *    check        1 (default): ranks that call with different arguments get an error, not mixed data. What
 *                 MPI reduces itself is told apart by op, kind and width of its elements, their number or,
 *                 with a user's op, bytes: not signed from unsigned integers, nor the order in a struct.
 *                 0: trust them
 *    arena_bytes  bound on the memory a rank maps for its peers (default 16777216, at most 67108864); every
 *                 rank of the communicator takes 128 KiB of it at least, so more than 127 need more
 *    shm_dir      directory for the arenas' files (default auto: anonymous memory where ranks can reach it,
 *                 else /dev/shm)
 *    device_share communicators whose calls run on one device at the same time (default 1, at most 64): each
 *                 leaves room for the others
 *    gpu_aware    whether MPI is given pointers to device memory, in calls that are left to MPI: auto
 *                 (default) asks MPI, 0 never, 1 always
 *    tuning       file with times and rates of this node, as qr_mpi_tune writes it, from which plans for
 *                 device memory are made; rank 0 reads it when the name is set, not when it is set again to
 *                 the same name, and all ranks use what it read.
 *                 auto (default): the table that is built in for rank 0's device
 *    log          0 nothing, 1 warnings (default), 2 one line a communicator, 3 one line a call
 *
 * Unlike MPI_Comm_set_info, keys that the library does not know are an error: a misspelt codec would
 * otherwise go unnoticed. On error nothing has changed. Settings are not inherited by MPI_Comm_dup, as MPI 4
 * has it for hints. */
QR_MPI_API int qr_mpi_comm_set_info(MPI_Comm comm, MPI_Info info);

/** What is in force: a new info object with every key. Collective on the first use of `comm`, local
 * afterwards. The caller frees it with MPI_Info_free. */
QR_MPI_API int qr_mpi_comm_get_info(MPI_Comm comm, MPI_Info *info_used);

/* ---- 3. 16-bit types ------------------------------------------------------------------------- */

/** IEEE half precision and bfloat16, which MPI lacks. Committed datatypes of 2 bytes, owned by the library;
 * valid between MPI_Init and MPI_Finalize, to be used in any MPI call, but only qr_mpi_allreduce can reduce
 * them with the predefined ops (sums in fp32, rounded once). Local. MPI_DATATYPE_NULL outside that time. */
QR_MPI_API MPI_Datatype qr_mpi_type_float16(void);
QR_MPI_API MPI_Datatype qr_mpi_type_bfloat16(void);

/* ---- 4. Codecs ------------------------------------------------------------------------------- */

/** The codecs of this build, numbered from 0 (raw). Local, callable at any time. */
QR_MPI_API int qr_mpi_codec_count(void);
/** Name for the `codec` setting; NULL if there is no such index. */
QR_MPI_API const char *qr_mpi_codec_name(int index);
/** Bits on the wire for each value, scales included; 16 for raw (of a 16-bit type; raw sends every type as it
 * is); 0 if there is no such index. */
QR_MPI_API double qr_mpi_codec_bits_per_value(int index);
/** Bound on the error of one quantization in units of the largest magnitude of the block of 32; 0 for raw. */
QR_MPI_API double qr_mpi_codec_error(int index);

/* ---- 5. Errors ------------------------------------------------------------------------------- */

/** Errors are MPI errors: codes that MPI_Error_class and MPI_Error_string know, raised through the
 * communicator's error handler (so a program that never sets one is stopped, as with any MPI function).
 * Errors of MPI itself keep their codes.
 *
 * An all-reduce that one rank refuses by its own arguments (a negative count, a missing or overlapping
 * buffer, a datatype that is not committed, an op that the datatype lacks) is a call all the same: ranks that
 * make it get QR_MPI_ERR_MISMATCH, which names the one that refused, and the next call works again. Nobody
 * waits: not they, and not that rank, unless it had refused the call before as well; then it waits until its
 * peers have come to that one. Ranks that all refuse get their own errors and go on. In three places peers
 * cannot see a refusal, and wait as for a rank that does not call: on a communicator that has reduced device
 * memory in its arenas, with check=0 (both until timeout_ms, or without end in a call that goes to MPI), and
 * between ranks that share no memory. */
enum {
  QR_MPI_ERR_ARGUMENT = 1, /* count, datatype, op or another argument is not valid */
  QR_MPI_ERR_BUFFER,       /* buffers overlap, are misaligned, or MPI_IN_PLACE stands where it must not */
  QR_MPI_ERR_CONFIG,       /* unknown key, bad value, or values that differ between ranks */
  QR_MPI_ERR_MISMATCH,     /* ranks called with different arguments, or one refused its own; the next call
                              works again */
  QR_MPI_ERR_TIMEOUT,      /* a peer did not come in time; the communicator can only be freed now */
  QR_MPI_ERR_ABORTED,      /* a peer gave up; the communicator can only be freed now */
  QR_MPI_ERR_BROKEN,       /* an earlier call on this communicator failed so */
  QR_MPI_ERR_SYSTEM,       /* an operating system or device call failed */
  QR_MPI_ERR_INTERNAL
};
/** The MPI error class that stands for one of the constants above; MPI_ERR_UNKNOWN for another number. Local,
 * after MPI_Init. */
QR_MPI_API int qr_mpi_error_class(int error);

/** The whole sentence of the last error in this thread: what was tried, on which rank, what was seen, what to
 * do. Never NULL; valid until the thread's next qr_mpi call. */
QR_MPI_API const char *qr_mpi_last_error(void);

/* ---- 6. Plans -------------------------------------------------------------------------------- */

/** What a call with these arguments would do on `comm`, and why: algorithm (mpi, exchange, two_shot) and
 * codec. Collective on the first use of `comm`, local afterwards. The strings are the library's, valid for
 * ever; any of the three pointers may be NULL. */
QR_MPI_API int qr_mpi_comm_plan(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                const char **algorithm, const char **codec, const char **reason);

/** The same for vectors in device memory, on the current device. Collective on the first use of `comm` with
 * device memory, which sets it up for that; local afterwards. Where device memory goes through host memory,
 * the plan is that of host memory. */
QR_MPI_API int qr_mpi_comm_plan_on_device(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
                                          const char **algorithm, const char **codec, const char **reason);

/** What qr_mpi_comm_plan_on_device chose it from. form: "flagged" (an exchange in one kernel whose data carry
 * their own flags, for short messages), "exchange" or "two_shot"; all ranks take the same. us: the predicted
 * microseconds of the call, 0 where there is no prediction. table: the tuning table and where it comes from.
 * Where device memory goes through host memory, form and table are "". `table` is valid until the settings of
 * `comm` change or it is freed; any of the pointers may be NULL. Collective on the first use of `comm` with
 * device memory, local afterwards. */
QR_MPI_API int qr_mpi_comm_prediction_on_device(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype,
                                                MPI_Op op, const char **form, double *us, const char **table);

/* ---- 7. Version ------------------------------------------------------------------------------ */

/** Version of the library that runs, "major.minor.patch"; QR_MPI_VERSION in version.h is that of the header.
 */
QR_MPI_API const char *qr_mpi_version(void);

#ifdef __cplusplus
}
#endif

#endif
