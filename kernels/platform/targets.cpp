// The targets of this build, and which of them this machine can run.
#include "codec_list.hpp"
#include "tables.hpp"

#if defined(QR_TARGET_AVX2)
#include <hwy/targets.h>
#endif

// What the generated units of a target define.
#define QR_DECLARE(name, Codec) extern const BlockTables name##_tables;
#define QR_ADDRESS(name, Codec) &name##_tables,
#define QR_TARGET_TABLES                 \
  extern const RawTables raw_tables_all; \
  QR_BLOCK_CODECS(QR_DECLARE)            \
  static const BlockTables* const kBlockTables[] = {QR_BLOCK_CODECS(QR_ADDRESS)};

namespace qr {

namespace reference {
QR_TARGET_TABLES
}
#if defined(QR_TARGET_AVX2)  // and avx512: they come together
namespace avx512 {
QR_TARGET_TABLES
}
namespace avx2 {
QR_TARGET_TABLES
}
#endif
#if defined(QR_TARGET_NEON)
namespace neon {
QR_TARGET_TABLES
}
#endif

namespace {

struct Targets {
  Target list[4] = {};
  int count = 0;

  Targets() {
#if defined(QR_TARGET_AVX2)
    // Highway's own baseline (SSE2, or emulation) has no fused multiply-add and is never among these.
    const auto supported = hwy::SupportedTargets();
    if (supported & HWY_AVX3) list[count++] = {"avx512", &avx512::raw_tables_all, avx512::kBlockTables};
    if (supported & HWY_AVX2) list[count++] = {"avx2", &avx2::raw_tables_all, avx2::kBlockTables};
#endif
#if defined(QR_TARGET_NEON)
    list[count++] = {"neon", &neon::raw_tables_all, neon::kBlockTables};  // every 64-bit ARM has it
#endif
    list[count++] = {"scalar", &reference::raw_tables_all, reference::kBlockTables};
  }
};

const Targets& targets() {
  static const Targets instance;
  return instance;
}

}  // namespace

int target_count() { return targets().count; }

const Target& target(int index) { return targets().list[index]; }

}  // namespace qr
