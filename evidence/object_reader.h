// ObjectReader: reads a JSON object member by member and refuses what it does not know.

#ifndef SONDE_EVIDENCE_OBJECT_READER_H_
#define SONDE_EVIDENCE_OBJECT_READER_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sonde/result.h"

namespace sonde {

// The first problem sticks; Finish reports it, or members that nobody asked for.
class ObjectReader {
 public:
  // `where` names the object in errors: "hotspots[3]".
  ObjectReader(const nlohmann::json& object, std::string where)
      : object_(object), where_(std::move(where)) {
    if (!object.is_object()) Fail("is not an object");
  }

  void Text(const char* key, std::string& out) {
    if (const auto* value = Find(key)) {
      value->is_string() ? void(out = value->get<std::string>()) : Wrong(key);
    }
  }
  void Number(const char* key, double& out) {
    if (const auto* value = Find(key)) {
      value->is_number() ? void(out = value->get<double>()) : Wrong(key);
    }
  }
  void Signed(const char* key, std::int64_t& out) {
    if (const auto* value = Find(key)) {
      const bool fits =
          value->is_number_integer() &&
          !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX});
      fits ? void(out = value->get<std::int64_t>()) : Wrong(key);
    }
  }
  void Count(const char* key, std::uint64_t& out) {
    if (const auto* value = Find(key)) {
      value->is_number_unsigned() ? void(out = value->get<std::uint64_t>()) : Wrong(key);
    }
  }
  // The same for a member that need not be there.
  void Count(const char* key, std::optional<std::uint64_t>& out) {
    if (Find(key, true) == nullptr) return;
    Count(key, out.emplace());
  }
  void Flag(const char* key, bool& out) {
    if (const auto* value = Find(key)) {
      value->is_boolean() ? void(out = value->get<bool>()) : Wrong(key);
    }
  }
  void Texts(const char* key, std::vector<std::string>& out) {
    const auto* list = Find(key);
    if (list == nullptr) return;
    if (!list->is_array()) return Wrong(key);
    for (const auto& value : *list) {
      if (!value.is_string()) return Wrong(key);
      out.push_back(value.get<std::string>());
    }
  }
  // Reads each element with `read(element, where) -> Result<T>`.
  template <typename T, typename Read>
  void List(const char* key, std::vector<T>& out, Read read) {
    const auto* list = Find(key);
    if (list == nullptr) return;
    if (!list->is_array()) return Wrong(key);
    const std::string place = (where_.empty() ? key : where_ + '.' + key) + '[';
    for (std::size_t i = 0; i < list->size() && !problem_; ++i) {
      Result<T> element = read((*list)[i], place + std::to_string(i) + ']');
      if (element.ok()) {
        out.push_back(std::move(element).value());
      } else {
        problem_ = element.error();
      }
    }
  }
  // The member itself, or null when it is missing (an error then, unless optional).
  const nlohmann::json* Find(const char* key, bool optional = false) {
    asked_.insert(key);
    if (problem_) return nullptr;
    const auto it = object_.find(key);
    if (it != object_.end()) return &*it;
    if (!optional) Fail(std::string("has no \"") + key + '"');
    return nullptr;
  }
  bool Has(const char* key) const { return !problem_ && object_.contains(key); }
  void Fail(const std::string& why) {
    if (!problem_) {
      problem_ = Error{.code = ErrorCode::kInvalid,
                       .message = (where_.empty() ? "the document" : where_) + ' ' + why,
                       .stage = "artifact"};
    }
  }

  Status Finish() {
    if (!problem_) {
      for (const auto& [key, value] : object_.items()) {
        if (!asked_.contains(key)) Fail("has an unknown member \"" + key + '"');
      }
    }
    if (problem_) return *problem_;
    return {};
  }

 private:
  void Wrong(const char* key) { Fail(std::string("has a \"") + key + "\" of the wrong type"); }

  const nlohmann::json& object_;
  std::string where_;
  std::set<std::string> asked_;
  std::optional<Error> problem_;
};

}  // namespace sonde

#endif  // SONDE_EVIDENCE_OBJECT_READER_H_
