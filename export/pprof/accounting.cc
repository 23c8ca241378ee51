// What sonde knows of a profile and pprof has no field for, as comments of the profile.

#include "export/pprof/accounting.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace sonde::pprof {
namespace {

// Fields are separated by tabs: "sonde loss <tab> 3 <tab> lines <tab> bad weight <tab> line 7",
// "sonde records <tab> 12 <tab> 34 <tab> 56" with the totals that they belong to.
constexpr std::string_view kRecords = "sonde records\t";
constexpr std::string_view kLoss = "sonde loss\t";

void AppendField(std::string& out, std::string_view field) {
  for (const char c : field) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
}

std::vector<std::string> Fields(std::string_view text) {
  std::vector<std::string> fields(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\t') {
      fields.emplace_back();
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      ++i;
      fields.back() += text[i] == 't' ? '\t' : text[i] == 'n' ? '\n' : text[i];
    } else {
      fields.back() += text[i];
    }
  }
  return fields;
}

template <typename Number>
bool ParseNumber(std::string_view text, Number& number) {
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  return fault == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<std::string> AccountingOf(const Profile& profile) {
  std::vector<std::string> comments;
  const std::optional<std::size_t> counts = profile.record_type();
  const bool is_told =
      counts && profile.records() == static_cast<std::uint64_t>(profile.Total(*counts));
  if (profile.records().has_value() && !is_told && !profile.counts_events()) {
    std::string comment = std::string(kRecords) + std::to_string(*profile.records());
    // Other programs copy comments to what they make of a profile: the totals tell.
    for (std::size_t type = 0; type < profile.sample_types().size(); ++type) {
      comment += '\t' + std::to_string(profile.Total(type));
    }
    comments.push_back(std::move(comment));
  }
  for (const Loss& loss : profile.losses().entries()) {
    std::string comment = std::string(kLoss) + std::to_string(loss.count) + '\t';
    AppendField(comment, loss.unit);
    comment += '\t';
    AppendField(comment, loss.cause);
    for (const std::string& place : loss.places) {
      comment += '\t';
      AppendField(comment, place);
    }
    comments.push_back(std::move(comment));
  }
  return comments;
}

bool TakeAccounting(std::string_view comment, ProfileBuilder& builder) {
  std::uint64_t count = 0;
  if (comment.starts_with(kRecords)) {
    const std::vector<std::string> fields = Fields(comment.substr(kRecords.size()));
    std::vector<std::int64_t> totals(fields.size() - 1);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      if (!ParseNumber(fields[i + 1], totals[i])) return false;
    }
    if (!ParseNumber(fields[0], count)) return false;
    builder.SetRecordsOfTotals(count, std::move(totals));
    return true;
  }
  if (!comment.starts_with(kLoss)) return false;
  const std::vector<std::string> fields = Fields(comment.substr(kLoss.size()));
  if (fields.size() < 3 || !ParseNumber(fields[0], count)) return false;
  builder.losses().Add(fields[2], fields[1], count);
  for (std::size_t i = 3; i < fields.size(); ++i)
    builder.losses().AddPlace(fields[2], fields[1], fields[i]);
  return true;
}

}  // namespace sonde::pprof
