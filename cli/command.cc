// Program: the sub-commands of sonde, and how their errors are shown.

#include "cli/command.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command_word.h"
#include "cli/version.h"
#include "console/wire/utf8.h"

namespace sonde::cli {
namespace {

constexpr int kInternalExit = 70;

bool notes_are_shown = true;

struct CodeTraits {
  const char* name;
  int exit_code;
  const char* stage;  // Where such an error comes from when it does not say so itself.
  bool recoverable;
  bool retryable;
};

CodeTraits TraitsOf(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kUsage:
      return {"INVALID_INPUT", 2, "cli", true, false};
    case ErrorCode::kNotFound:
    case ErrorCode::kInvalid:
      return {"INVALID_INPUT", 2, "input", true, false};
    case ErrorCode::kMalformed:
      return {"PROFILE_PARSE_FAILED", 3, "parsing", false, false};
    case ErrorCode::kUnsupported:
      return {"UNSUPPORTED_FORMAT", 3, "parsing", false, false};
    case ErrorCode::kLimit:
      return {"RESOURCE_LIMIT_EXCEEDED", 4, "parsing", true, false};
    case ErrorCode::kOutput:
      return {"OUTPUT_WRITE_FAILED", 5, "output", true, false};
    case ErrorCode::kPathSafety:
      return {"PATH_SAFETY_VIOLATION", 5, "output", true, false};
    case ErrorCode::kDenied:
      return {"PATH_SAFETY_VIOLATION", 5, "authorization", true, false};
    case ErrorCode::kTool:
      return {"EXTERNAL_TOOL_FAILED", 6, "external_tool", true, false};
    case ErrorCode::kTimeout:
      return {"EXTERNAL_TOOL_TIMEOUT", 6, "external_tool", true, true};
    case ErrorCode::kSystem:
      return {"INVALID_INPUT", 2, "cli", false, false};
    case ErrorCode::kInternal:
      break;
  }
  return {"INTERNAL_ERROR", kInternalExit, "cli", false, false};
}

// Equal kinds of failure get equal ids: the details do not enter.
std::string ErrorId(const std::string& kind) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(kind.data()), kind.size(), digest.data());
  std::string id = "err-";
  for (std::size_t i = 0; i < 8; ++i) {
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", digest[i]);
    id += hex.data();
  }
  return id;
}

nlohmann::json DetailsOf(const Error& error) {
  nlohmann::json details = nlohmann::json::object();
  for (const ErrorDetail& detail : error.details) {
    std::visit([&](const auto& value) { details[detail.key] = value; }, detail.value);
  }
  if (!error.file.empty()) details["path"] = error.file;
  if (error.line != 0) details["line"] = error.line;
  if (error.byte_offset != 0) details["byte_offset"] = error.byte_offset;
  return details;
}

}  // namespace

void Note(const std::string& text) {
  if (!notes_are_shown) return;
  std::cout.flush();
  std::cerr << "sonde: note: " << OneLine(text) << '\n';
}

std::string OneLine(std::string_view text) {
  std::string line;
  const std::string valid = ValidUtf8(text);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    unsigned byte = static_cast<unsigned char>(valid[i]);
    // U+0080 to U+009f: to some terminals what ESC and a letter are.
    const bool is_c1 = byte == 0xc2 && static_cast<unsigned char>(valid[i + 1]) < 0xa0;
    if (byte >= 0x20 && byte != 0x7f && !is_c1) {
      line += valid[i];
      continue;
    }
    if (is_c1) byte = static_cast<unsigned char>(valid[++i]);
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), byte == '\n' ? "\\n" : "\\x%02x", byte);
    line += escape.data();
  }
  return line;
}

int ExitCodeOf(ErrorCode code) noexcept { return TraitsOf(code).exit_code; }

std::string ErrorAsJson(const Error& error, std::string_view manual) {
  const CodeTraits traits = TraitsOf(error.code);
  const std::string stage = error.stage.empty() ? traits.stage : error.stage;
  nlohmann::json actions = nlohmann::json::array();
  if (error.code == ErrorCode::kUsage) actions.push_back("see " + std::string(manual));
  if (error.code == ErrorCode::kLimit) actions.push_back("raise the limit named in details");
  const nlohmann::json object = {
      {"schema_version", "1.0"},
      {"error",
       {{"code", traits.name},
        {"details", DetailsOf(error)},
        {"error_id", ErrorId(std::string(traits.name) + ':' + stage + ':' + error.message)},
        {"message", error.message},
        {"recoverable", traits.recoverable},
        {"retryable", traits.retryable},
        {"stage", stage},
        {"suggested_actions", actions}}}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Program::Program() : app_("Profiles of programs and of coding agents, from capture to evidence.") {
  app_.name("sonde");
  app_.set_version_flag("--version", kVersion);
  app_.add_option("--error-format", error_format_, "How an error is shown on standard error")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app_.require_subcommand(0, 1);
  app_.fallthrough();
}

CLI::App* Program::Command(const std::string& name, const std::string& description, Action action) {
  CLI::App* command = app_.add_subcommand(name, description);
  commands_.emplace_back(command, std::move(action));
  return command;
}

int Program::Show(const Error& error) const {
  std::cout.flush();
  if (error_format_ == "json") {
    std::cerr << ErrorAsJson(error) << '\n';
  } else {
    std::cerr << "sonde: " << OneLine(Describe(error)) << '\n';
  }
  return ExitCodeOf(error.code);
}

std::string_view CommandWord(int argc, char** argv) noexcept {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--error-format") {
      ++i;
    } else if (!argument.starts_with('-')) {
      return argument;
    }
  }
  return {};
}

// What stands in the place of a sub-command and is none; empty when there is no such thing.
std::string Program::UnknownCommand(int argc, char** argv) const {
  const std::string word(CommandWord(argc, argv));
  const auto is_it = [&](const auto& command) { return command.first->get_name() == word; };
  return std::ranges::any_of(commands_, is_it) ? std::string() : word;
}

int Program::Finish(int code) const {
  std::cout.flush();
  // What was printed past the stream counts too.
  const bool is_printed = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (std::cout && is_printed) return code;
  return Show({.code = ErrorCode::kOutput, .message = "cannot write", .file = "standard output"});
}

int Program::Run(int argc, char** argv) {
  notes_are_shown = true;
  // A usage error may stand before --error-format is parsed; a machine still gets its format.
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--error-format=json" ||
        (argument == "--error-format" && i + 1 < argc && std::string_view(argv[i + 1]) == "json")) {
      error_format_ = "json";
      notes_are_shown = false;
    }
  }
  try {
    app_.parse(argc, argv);
    for (const auto& [command, action] : commands_) {
      if (!command->parsed()) continue;
      const Result<int> outcome = action();
      return outcome.ok() ? Finish(outcome.value()) : Show(outcome.error());
    }
    std::cout << app_.help();
    return Finish(0);
  } catch (const CLI::Success& success) {
    return Finish(app_.exit(success));
  } catch (const CLI::ParseError& error) {
    const std::string unknown = UnknownCommand(argc, argv);
    return Show({.code = ErrorCode::kUsage,
                 .message = unknown.empty() ? error.what() : "unknown command '" + unknown + '\''});
  } catch (const std::exception& exception) {
    return Show({.code = ErrorCode::kInternal, .message = exception.what()});
  }
}

}  // namespace sonde::cli
