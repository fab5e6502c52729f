/* Sanitizer builds: plug-ins of MPI stay loaded, so that reports can name them and suppressions can match
 * them. */
#if defined(__GNUC__)
#define QR_EXPORT __attribute__((visibility("default")))
#else
#define QR_EXPORT
#endif

QR_EXPORT int dlclose(void *handle);
QR_EXPORT int dlclose(void *handle) {
  (void)handle;
  return 0;
}
