/* Sanitizer builds: plug-ins of MPI stay loaded, so that reports can name them and suppressions can match
 * them. */
int dlclose(void *handle);
int dlclose(void *handle) {
  (void)handle;
  return 0;
}
