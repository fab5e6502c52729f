// Prints how many devices this process sees.
#include <hip/hip_runtime.h>

#include <cstdio>

int main() {
  int devices = 0;
  if (hipGetDeviceCount(&devices) != hipSuccess) devices = 0;
  std::printf("%d\n", devices);
  return 0;
}
