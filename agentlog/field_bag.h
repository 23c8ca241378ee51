// FieldBag: the named values of one operation, from which frames are chosen.

#ifndef SONDE_AGENTLOG_FIELD_BAG_H_
#define SONDE_AGENTLOG_FIELD_BAG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sonde::agentlog {

// Fields that every projection fills, sorted by name. A user's rules may add more.
enum class Field : std::uint8_t {
  kAccess,
  kAction,
  kAgent,
  kCall,
  kCategory,
  kCmd,
  kDomain,
  kEffect,
  kFile,
  kKind,
  kLlm,
  kModel,
  kObject,
  kOp,
  kOutcome,
  kPath,
  kPhase,
  kProcess,
  kProject,
  kPrompt,
  kPromptHash,
  kRepeat,
  kResponsePhase,
  kResult,
  kSession,
  kSkill,
  kSourceKind,
  kSourceSession,
  kStatus,
  kSubagent,
  kTarget,
  kTask,
  kToken,
  kTool,
  kCount,
};

// A Field, or one beyond Field::kCount that a rule named.
using FieldId = std::uint32_t;

// Which names there are. Not thread-safe.
class FieldNames {
 public:
  static constexpr FieldId kUnknown = UINT32_MAX;

  FieldNames();
  FieldId Find(std::string_view name) const noexcept;
  FieldId FindOrAdd(std::string_view name);
  std::string_view name(FieldId field) const noexcept { return names_[field]; }
  std::size_t size() const noexcept { return names_.size(); }
  // All fields, by name.
  const std::vector<FieldId>& sorted() const noexcept { return sorted_; }
  // "access, action, ...", for messages.
  std::string List() const;

 private:
  std::vector<std::string> names_;
  std::vector<FieldId> sorted_;
};

// Views values that others own. Reused from operation to operation. Not thread-safe.
class FieldBag {
 public:
  explicit FieldBag(std::size_t fields) : values_(fields) {}

  void Clear();
  // Adds a value; an empty one is as good as none.
  void Add(Field field, std::string_view value) { Add(static_cast<FieldId>(field), value); }
  void Add(FieldId field, std::string_view value);
  void Set(Field field, std::string_view value) { Set(static_cast<FieldId>(field), value); }
  void Set(FieldId field, std::string_view value);
  void Remove(Field field) { values_[static_cast<FieldId>(field)].clear(); }
  const std::vector<std::string_view>& values(FieldId field) const noexcept {
    return values_[field];
  }
  std::string_view first(Field field) const noexcept {
    const auto& all = values_[static_cast<FieldId>(field)];
    return all.empty() ? std::string_view() : all.front();
  }

 private:
  std::vector<std::vector<std::string_view>> values_;
};

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_FIELD_BAG_H_
