// The watchdog: turns a hang into a failure that names the test and the rank.
#pragma once

namespace qr_test {

/// Starts or restarts the clock for the test of that name (the text must outlive the test). QR_TEST_TIMEOUT_S
/// replaces the 60 seconds that a test has, for machines or tools that are slow.
void watch(const char* test_name);

/// Gives the running test more time: it has `factor` times the usual limit from now on.
void allow_time(int factor);

/// Stops the clock.
void stop_watching();

/// How much longer than natively everything takes here: QR_TEST_SLOWDOWN, 1 if unset. For upper limits on
/// measured times.
double slowdown();

}  // namespace qr_test
