// Every kernel of the library on a device, before the first call.
#pragma once

namespace qr {

/// Loads all kernels of this process for `device`, the current one, and sets their attributes. Later calls
/// for the device return at once. Any thread.
///
/// Runtimes load a kernel when it is first launched, and may wait for the whole device then: a call that
/// waits for its peers while another communicator's first call of some codec loads its kernel would wait for
/// ever.
void load_kernels(int device);

}  // namespace qr
