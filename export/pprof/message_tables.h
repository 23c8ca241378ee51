// MessageTables: the tables of a pprof message by the ids it gives them.

#ifndef SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_
#define SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_

#include <string_view>
#include <vector>

#include "export/id_map.h"
#include "export/limit_guard.h"
#include "export/pprof/message_parts.h"
#include "sonde/profile_builder.h"

namespace sonde::pprof {

// Fill puts functions, mappings and locations into a builder; then samples can be looked up. May be
// filled again, into another builder. Not thread-safe.
class MessageTables {
 public:
  // `parts` were scanned, and outlive the object.
  explicit MessageTables(const MessageParts& parts) : parts_(parts) {}

  Status Fill(ProfileBuilder& builder, const LimitGuard& guard);

  const MessageParts& parts() const noexcept { return parts_; }
  // As MessageParts::ReadText; interned once.
  Status ReadText(std::uint64_t number, std::string_view at, StringId& id);
  // IdMap::kNone when there is no such id.
  std::uint32_t FindLocation(std::uint64_t id) const { return location_ids_.Find(id); }

 private:
  static constexpr std::uint32_t kUnknownText = 0xffff'ffff;

  Status AddId(IdMap& ids, std::uint64_t id, std::uint32_t number, std::string_view what,
               std::string_view at) const;
  Status ReadMapping(std::string_view bytes);
  Status ReadFunction(std::string_view bytes);
  Status ReadLocation(std::string_view bytes);
  Status ReadLine(std::string_view bytes);

  const MessageParts& parts_;
  ProfileBuilder* builder_ = nullptr;
  std::vector<std::uint32_t> text_ids_;  // By number in texts_: StringId, or kUnknownText.
  IdMap mapping_ids_{0}, function_ids_{0}, location_ids_{0};
  std::vector<Line> lines_;  // Of the location at hand.
};

}  // namespace sonde::pprof

#endif  // SONDE_EXPORT_PPROF_MESSAGE_TABLES_H_
