// ConfigKeys: which keys sonde.toml and the environment may set, and where their values go.

#include "console/config.h"

// Under a name of our own: the application may bring another version.
#define toml sonde_toml
#include "profile/toml.h"
#undef toml
namespace toml = sonde_toml;

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace sonde {
namespace {

constexpr std::uintmax_t kLargestFile = 1 << 20;
constexpr std::string_view kPrefix = "SONDE_";

std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](unsigned char letter) {
    return static_cast<char>(std::toupper(letter));
  });
  return upper;
}

std::string SecondsText(std::chrono::milliseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%g", static_cast<double>(time.count()) / 1000);
  return text.data();
}

Error At(const std::string& path, const toml::source_region& source, std::string message,
         ErrorCode code = ErrorCode::kUsage) {
  return {.code = code,
          .message = std::move(message),
          .line = source.begin.line,
          .file = path,
          .stage = "configuration"};
}

Result<std::string> ReadWhole(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  const auto fail = [&](ErrorCode code, std::string message) {
    return Error{
        .code = code, .message = std::move(message), .file = path, .stage = "configuration"};
  };
  if (error) {
    const bool missing = error == std::errc::no_such_file_or_directory;
    return fail(missing ? ErrorCode::kNotFound : ErrorCode::kInvalid,
                "cannot read: " + error.message());
  }
  if (size > kLargestFile) return fail(ErrorCode::kInvalid, "is larger than 1 MiB");
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return fail(ErrorCode::kInvalid, "cannot read");
  return text.str();
}

}  // namespace

void ConfigKeys::Bool(std::string section, std::string key, bool* target) {
  keys_.push_back({std::move(section), std::move(key), Type::kBool, "true or false",
                   [target](const Value& value) {
                     *target = std::get<bool>(value);
                     return true;
                   }});
}

void ConfigKeys::Text(std::string section, std::string key, std::string* target) {
  keys_.push_back(
      {std::move(section), std::move(key), Type::kText, "a string", [target](const Value& value) {
         *target = std::get<std::string>(value);
         return true;
       }});
}

void ConfigKeys::Seconds(std::string section, std::string key, std::chrono::milliseconds* target,
                         std::chrono::milliseconds least, std::chrono::milliseconds most) {
  keys_.push_back({std::move(section), std::move(key), Type::kNumber,
                   "seconds from " + SecondsText(least) + " to " + SecondsText(most),
                   [target, least, most](const Value& value) {
                     const double milliseconds = std::get<double>(value) * 1000;
                     if (!(milliseconds >= static_cast<double>(least.count()) &&
                           milliseconds <= static_cast<double>(most.count()))) {
                       return false;
                     }
                     *target = std::chrono::milliseconds(std::llround(milliseconds));
                     return true;
                   }});
}

void ConfigKeys::AddWhole(std::string section, std::string key, std::int64_t least,
                          std::int64_t most, std::function<void(std::int64_t)> set) {
  keys_.push_back({std::move(section), std::move(key), Type::kWhole,
                   "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                   [set = std::move(set), least, most](const Value& value) {
                     const std::int64_t number = std::get<std::int64_t>(value);
                     if (number < least || number > most) return false;
                     set(number);
                     return true;
                   }});
}

void ConfigKeys::AddChoice(std::string section, std::string key, std::vector<std::string> words,
                           std::function<void(std::size_t)> set) {
  std::string expected = "one of";
  for (const std::string& word : words) expected += (&word == words.data() ? " " : ", ") + word;
  keys_.push_back({std::move(section), std::move(key), Type::kText, std::move(expected),
                   [set = std::move(set), words = std::move(words)](const Value& value) {
                     const auto word = std::ranges::find(words, std::get<std::string>(value));
                     if (word == words.end()) return false;
                     set(static_cast<std::size_t>(word - words.begin()));
                     return true;
                   }});
}

const ConfigKeys::Key* ConfigKeys::Find(std::string_view section, std::string_view name) const {
  const auto key = std::ranges::find_if(
      keys_, [&](const Key& one) { return one.section == section && one.name == name; });
  return key == keys_.end() ? nullptr : &*key;
}

bool ConfigKeys::HasSection(std::string_view section) const {
  return std::ranges::any_of(keys_, [&](const Key& key) { return key.section == section; });
}

Status ConfigKeys::ReadFile(const std::string& path) const {
  const Result<std::string> text = ReadWhole(path);
  if (!text.ok()) return text.error();
  const toml::parse_result parsed = toml::parse(std::string_view(text.value()));
  if (!parsed) {
    return At(path, parsed.error().source(), std::string(parsed.error().description()),
              ErrorCode::kMalformed);
  }
  for (const auto& [section, content] : parsed.table()) {
    const std::string section_name(section.str());
    const toml::table* const keys = content.as_table();
    if (keys == nullptr) {
      const auto known = std::ranges::find(keys_, section_name, &Key::name);
      return At(path, section.source(),
                "key '" + section_name + "' stands in no section" +
                    (known == keys_.end() ? "" : ", it belongs into [" + known->section + ']'));
    }
    if (!HasSection(section_name)) {
      return At(path, section.source(), "unknown section '" + section_name + "'");
    }
    for (const auto& [name, node] : *keys) {
      const std::string full_name = section_name + '.' + std::string(name.str());
      const Key* const key = Find(section_name, name.str());
      if (key == nullptr) return At(path, name.source(), "unknown key '" + full_name + "'");
      Value value;
      bool fits = false;
      if (key->type == Type::kBool && node.is_boolean()) {
        value = node.as_boolean()->get();
        fits = true;
      } else if (key->type == Type::kWhole && node.is_integer()) {
        value = node.as_integer()->get();
        fits = true;
      } else if (key->type == Type::kNumber && node.is_number()) {
        value = *node.value<double>();
        fits = true;
      } else if (key->type == Type::kText && node.is_string()) {
        value = node.as_string()->get();
        fits = true;
      }
      if (!fits || !key->set(value)) {
        return At(path, name.source(), "key '" + full_name + "' must be " + key->expected);
      }
    }
  }
  return {};
}

bool ConfigKeys::ParseText(const std::string& text, Type type, Value& value) {
  const char* const end = text.data() + text.size();
  const auto parse = [&](auto number) {
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    value = number;
    return error == std::errc() && stopped == end;
  };
  switch (type) {
    case Type::kBool:
      value = text == "true" || text == "1";
      return std::get<bool>(value) || text == "false" || text == "0";
    case Type::kWhole:
      return parse(std::int64_t{0});
    case Type::kNumber:
      return parse(0.0);
    case Type::kText:
      value = text;
      return true;
  }
  return false;
}

Status ConfigKeys::ReadEnvironment(const char* const* environment) const {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const std::size_t equals = variable.find('=');
    if (!variable.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string name(variable.substr(0, equals));
    const auto fail = [&](std::string message) {
      return Error{.code = ErrorCode::kUsage,
                   .message = name + ' ' + std::move(message),
                   .file = "environment",
                   .stage = "configuration"};
    };
    const auto key = std::ranges::find_if(keys_, [&](const Key& one) {
      return name == std::string(kPrefix) + Upper(one.section) + '_' + Upper(one.name);
    });
    if (key == keys_.end()) {
      const bool is_ours = std::ranges::any_of(keys_, [&](const Key& one) {
        return name.starts_with(std::string(kPrefix) + Upper(one.section) + '_');
      });
      if (is_ours) return fail("is not a known key");
      continue;
    }
    Value value;
    if (!ParseText(std::string(variable.substr(equals + 1)), key->type, value) ||
        !key->set(value)) {
      return fail("must be " + key->expected);
    }
  }
  return {};
}

}  // namespace sonde
