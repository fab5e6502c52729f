/* The version of this header; the build takes the version of the library from here too. */
#ifndef QR_MPI_VERSION_H
#define QR_MPI_VERSION_H

#define QR_MPI_VERSION_MAJOR 0
#define QR_MPI_VERSION_MINOR 1
#define QR_MPI_VERSION_PATCH 0

/** "major.minor.patch" */
#define QR_MPI_VERSION "0.1.0"
/** One number to compare: 10000 * major + 100 * minor + patch. */
#define QR_MPI_VERSION_NUMBER \
  (10000 * QR_MPI_VERSION_MAJOR + 100 * QR_MPI_VERSION_MINOR + QR_MPI_VERSION_PATCH)

#endif
