// Finite: a check for options that are numbers: "nan" lies in every range.

#ifndef SONDE_CLI_FINITE_H_
#define SONDE_CLI_FINITE_H_

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace sonde::cli {

inline CLI::Validator Finite() {
  return CLI::Validator(
      [](std::string& text) {
        double number = 0;
        const bool is_finite = CLI::detail::lexical_cast(text, number) && std::isfinite(number);
        return is_finite ? std::string() : "not a number: " + text;
      },
      "", "finite");
}

// A finite number from `least` to `most`.
inline CLI::Validator NumberFrom(double least, double most) {
  return CLI::Range(least, most) & Finite();
}

}  // namespace sonde::cli

#endif  // SONDE_CLI_FINITE_H_
