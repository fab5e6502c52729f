// CLI11's errors and help, once instead of once a rank.
#include "command_line.hpp"

#include <iostream>
#include <sstream>

namespace qr::bench {

int complain(const CLI::App& app, const CLI::ParseError& error, bool talks) {
  std::ostringstream silence;
  return talks ? app.exit(error, std::cout, std::cerr) : app.exit(error, silence, silence);
}

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv, bool talks) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return complain(app, error, talks);
  }
  return std::nullopt;
}

}  // namespace qr::bench
