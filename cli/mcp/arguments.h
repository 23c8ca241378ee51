// Arguments: the arguments of one tool call, checked one by one.

#ifndef SONDE_CLI_MCP_ARGUMENTS_H_
#define SONDE_CLI_MCP_ARGUMENTS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/mcp/call.h"
#include "sonde/result.h"
#include "sonde/source_resolution.h"

namespace sonde::cli::mcp {

// The first problem sticks; Finish reports it, or arguments that nobody asked for.
class Arguments {
 public:
  // Both outlive it.
  Arguments(const nlohmann::json& values, Call& call) : values_(values), call_(call) {
    if (!values.is_object()) Fail("the arguments must be an object");
  }

  // The call that they are the arguments of.
  Call& call() const noexcept { return call_; }

  std::string Text(const char* key) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) {
      Fail(std::string("missing argument ") + key);
      return {};
    }
    return TextOf(key, *value);
  }
  std::string Text(const char* key, const std::string& otherwise) {
    const nlohmann::json* value = Find(key);
    return value == nullptr ? otherwise : TextOf(key, *value);
  }
  std::uint64_t Count(const char* key, std::uint64_t otherwise, std::uint64_t least,
                      std::uint64_t most) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() < least ||
        value->get<std::uint64_t>() > most) {
      Fail(std::string(key) + " must be a whole number from " + std::to_string(least) + " to " +
           std::to_string(most));
      return otherwise;
    }
    return value->get<std::uint64_t>();
  }
  // A whole number, or text as ParseAddress takes it: "0x1474".
  std::uint64_t Address(const char* key) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return 0;
    if (value->is_number_unsigned()) return value->get<std::uint64_t>();
    const Result<std::uint64_t> address =
        ParseAddress(value->is_string() ? value->get<std::string>() : value->dump(), key);
    if (!address.ok()) Fail(address.error().message);
    return address.ok() ? address.value() : 0;
  }
  double Number(const char* key, double otherwise) {
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number() || value->get<double>() < 0) {
      Fail(std::string(key) + " must be a number of 0 or more");
      return otherwise;
    }
    return value->get<double>();
  }
  std::vector<std::string> Texts(const char* key) {
    std::vector<std::string> texts;
    const nlohmann::json* value = Find(key);
    if (value == nullptr) return texts;
    if (!value->is_array()) {
      Fail(std::string(key) + " must be a list of texts");
      return texts;
    }
    for (const nlohmann::json& item : *value) texts.push_back(TextOf(key, item));
    return texts;
  }
  bool Has(const char* key) const { return values_.is_object() && values_.contains(key); }

  Status Finish() {
    if (!problem_) {
      for (const auto& [key, value] : values_.items()) {
        if (!asked_.contains(key)) Fail("unknown argument " + key);
      }
    }
    if (problem_) return *problem_;
    return {};
  }

 private:
  const nlohmann::json* Find(const char* key) {
    asked_.insert(key);
    if (!values_.is_object()) return nullptr;
    const auto it = values_.find(key);
    return it == values_.end() || it->is_null() ? nullptr : &*it;
  }
  std::string TextOf(const char* key, const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    Fail(std::string(key) + " must be text");
    return {};
  }
  void Fail(const std::string& message) {
    if (!problem_) {
      problem_ = Error{.code = ErrorCode::kUsage, .message = message, .stage = "mcp"};
    }
  }

  const nlohmann::json& values_;
  Call& call_;
  std::set<std::string> asked_;
  std::optional<Error> problem_;
};

}  // namespace sonde::cli::mcp

#endif  // SONDE_CLI_MCP_ARGUMENTS_H_
