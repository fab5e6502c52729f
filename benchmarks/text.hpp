// Sizes and lists as people write them on a command line and read them in a table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qr::bench {

/// "64K", "64KiB", "64k", "1.5M", "4096", "8B" -> bytes (1K = 1024). Throws std::invalid_argument that says
/// what is wrong.
std::int64_t bytes_from_text(std::string_view text);

/// "4 KiB", "1536 KiB", "16380 B": exact where five digits are enough, else one digit after the point.
std::string text_from_bytes(std::int64_t bytes);

/// "a,b,,c" -> {"a", "b", "c"}.
std::vector<std::string> split_list(std::string_view text);

/// {"a", "b"} -> "a,b".
std::string join(const std::vector<std::string>& items, std::string_view between);

/// Command line for a report: the program's name without its folder, then the arguments.
std::string command_line_of(int argc, char** argv);

}  // namespace qr::bench
