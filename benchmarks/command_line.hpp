// Parsing a command line that all ranks see and only one may talk about.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace qr::bench {

/// A number: the program ends with this exit code, after help or a complaint, printed if this rank `talks`.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv, bool talks);

/// The same for an error that was found after parsing.
int complain(const CLI::App& app, const CLI::ParseError& error, bool talks);

}  // namespace qr::bench
