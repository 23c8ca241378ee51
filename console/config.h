// ConfigKeys: which keys sonde.toml and the environment may set, and where their values go.

#ifndef SONDE_CONSOLE_CONFIG_H_
#define SONDE_CONSOLE_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// The targets outlive the object. Not thread-safe.
class ConfigKeys {
 public:
  using Value = std::variant<bool, std::int64_t, double, std::string>;

  void Bool(std::string section, std::string key, bool* target);
  void Text(std::string section, std::string key, std::string* target);
  template <typename Number>
  void Whole(std::string section, std::string key, Number* target, std::int64_t least,
             std::int64_t most) {
    AddWhole(std::move(section), std::move(key), least, most,
             [target](std::int64_t value) { *target = static_cast<Number>(value); });
  }
  // Written in seconds, whole or not.
  void Seconds(std::string section, std::string key, std::chrono::milliseconds* target,
               std::chrono::milliseconds least, std::chrono::milliseconds most);
  // One of a few words.
  template <typename Enum>
  void Choice(std::string section, std::string key, Enum* target,
              std::vector<std::pair<std::string, Enum>> choices) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    AddChoice(std::move(section), std::move(key), std::move(words),
              [target, choices](std::size_t index) { *target = choices[index].second; });
  }

  // Sets what the file sets. Fails with kNotFound, kInvalid, kMalformed (not TOML), and kUsage
  // for an unknown section or key, a wrong type or a value out of range. The error
  // names file, line and key.
  Status ReadFile(const std::string& path) const;

  // Sets what SONDE_<SECTION>_<KEY> variables of `environment` (null-terminated, "NAME=value")
  // set. Fails with kUsage; also for an unknown key of a known section.
  Status ReadEnvironment(const char* const* environment) const;

 private:
  enum class Type : std::uint8_t { kBool, kWhole, kNumber, kText };
  struct Key {
    std::string section;
    std::string name;
    Type type;
    std::string expected;                   // "a whole number from 1 to 10000".
    std::function<bool(const Value&)> set;  // False when it is out of range.
  };

  void AddWhole(std::string section, std::string key, std::int64_t least, std::int64_t most,
                std::function<void(std::int64_t)> set);
  void AddChoice(std::string section, std::string key, std::vector<std::string> words,
                 std::function<void(std::size_t)> set);
  const Key* Find(std::string_view section, std::string_view name) const;
  bool HasSection(std::string_view section) const;
  static bool ParseText(const std::string& text, Type type, Value& value);

  std::vector<Key> keys_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_CONFIG_H_
