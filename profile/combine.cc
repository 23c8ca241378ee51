// Merge and Subtract: several profiles become one.

#include "sonde/combine.h"
#include "profile/account_comments.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile_copier.h"

namespace sonde {
namespace {

// One input of a combination, and what its values are multiplied with.
struct Term {
  const Profile* profile;
  int sign;
};

std::string ListOf(std::span<const ValueType> types) {
  std::string text = "{";
  for (const ValueType& type : types) {
    if (text.size() > 1) text += ", ";
    text += type.type + '/' + type.unit;
  }
  return text + '}';
}

constexpr std::string_view kInUse = "inuse_";

// A heap profile that does not tell what was ever allocated calls "objects" and "space" what one
// that does calls "inuse_objects" and "inuse_space".
bool MeansTheSame(std::string_view a, std::string_view b) {
  const auto is_short_form = [](std::string_view text, std::string_view other) {
    return (text == "objects" || text == "space") && other.starts_with(kInUse) &&
           other.substr(kInUse.size()) == text;
  };
  return a == b || is_short_form(a, b) || is_short_form(b, a);
}

// The sample type of `profile` that `type` is, or its number of sample types.
std::size_t ColumnOf(const Profile& profile, const ValueType& type, TypeMismatch mismatch) {
  const std::span<const ValueType> types = profile.sample_types();
  auto found = std::ranges::find(types, type);
  if (found == types.end() && mismatch == TypeMismatch::kCommon) {
    found = std::ranges::find_if(types, [&](const ValueType& candidate) {
      return candidate.unit == type.unit && MeansTheSame(candidate.type, type.type);
    });
  }
  return static_cast<std::size_t>(found - types.begin());
}

bool Has(const Profile& profile, const ValueType& type, TypeMismatch mismatch) {
  return ColumnOf(profile, type, mismatch) != profile.sample_types().size();
}

Result<std::vector<ValueType>> TypesOf(std::span<const Term> terms, TypeMismatch mismatch) {
  const Profile& first = *terms.front().profile;
  std::vector<ValueType> types(first.sample_types().begin(), first.sample_types().end());
  for (const Term& term : terms) {
    const Profile& other = *term.profile;
    const bool same = other.sample_types().size() == first.sample_types().size() &&
                      std::ranges::all_of(types, [&](const ValueType& type) {
                        return Has(other, type, TypeMismatch::kRefuse);
                      });
    if (same) continue;
    std::erase_if(types, [&](const ValueType& type) { return !Has(other, type, mismatch); });
    if (mismatch == TypeMismatch::kCommon && !types.empty()) continue;
    const std::string what = mismatch == TypeMismatch::kCommon
                                 ? "profiles have no sample type in common: "
                                 : "profiles have different sample types: ";
    return Error{ErrorCode::kInvalid,
                 what + ListOf(first.sample_types()) + " and " + ListOf(other.sample_types())};
  }
  return types;
}

std::int64_t Times(std::int64_t value, int sign) {
  if (sign > 0) return value;
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return std::numeric_limits<std::int64_t>::max();
  }
  return -value;
}

void AddSamples(const Term& term, std::span<const ValueType> types, TypeMismatch mismatch,
                ProfileBuilder& builder) {
  const Profile& profile = *term.profile;
  std::vector<std::size_t> columns;
  for (const ValueType& type : types) {
    columns.push_back(ColumnOf(profile, type, mismatch));
  }

  ProfileCopier copier(profile, builder);
  copier.CopyMappings();
  std::vector<std::int64_t> values(types.size());
  for (std::size_t i = 0; i < profile.sample_count(); ++i) {
    const Sample sample = profile.sample(i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      values[c] = Times(sample.values[columns[c]], term.sign);
    }
    builder.AddSample(copier.Copy(sample.stack), copier.Copy(sample.labels), values,
                      profile.records(i));
  }
}

Result<Profile> Combine(std::span<const Term> terms, TypeMismatch mismatch) {
  Result<std::vector<ValueType>> types = TypesOf(terms, mismatch);
  if (!types.ok()) return types.error();
  ProfileBuilder builder(types.value());

  const Profile& first = *terms.front().profile;
  const ValueType& wanted = first.sample_types()[first.default_sample_type()];
  const auto shown = std::ranges::find(types.value(), wanted);
  if (shown != types.value().end()) {
    builder.SetDefaultSampleType(static_cast<std::size_t>(shown - types.value().begin()));
  }

  AccountComments comments;
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  bool knows_duration = true;
  std::int64_t period = first.period();
  std::optional<std::uint64_t> records = 0;
  for (const Term& term : terms) {
    const Profile& profile = *term.profile;
    AddSamples(term, types.value(), mismatch, builder);
    records =
        records && profile.records() ? std::optional(*records + *profile.records()) : std::nullopt;
    builder.losses().Add(profile.losses());
    if (profile.period_type() == first.period_type()) period = std::max(period, profile.period());
    if (profile.time_ns() != 0 && (time_ns == 0 || profile.time_ns() < time_ns)) {
      time_ns = profile.time_ns();
    }
    // What was taken away has no part in the account of what is left.
    if (term.sign < 0) continue;
    knows_duration = knows_duration && profile.duration_ns() != 0;
    duration_ns = SaturatingAdd(duration_ns, profile.duration_ns());
    for (const std::string& comment : profile.comments()) comments.Add(comment);
  }
  for (std::string& comment : std::move(comments).Take()) builder.AddComment(std::move(comment));
  builder.SetPeriod(first.period_type(), period);
  builder.SetTime(time_ns);
  builder.SetDuration(knows_duration ? duration_ns : 0);
  builder.SetDropFrames(first.drop_frames());
  builder.SetKeepFrames(first.keep_frames());
  builder.SetDocUrl(first.doc_url());
  builder.SetRecords(records);
  builder.SetCountsEvents(
      std::ranges::any_of(terms, [](const Term& term) { return term.profile->counts_events(); }));
  return std::move(builder).Build();
}

}  // namespace

Result<Profile> Merge(std::span<const Profile* const> inputs, TypeMismatch mismatch) {
  std::vector<Term> terms;
  for (const Profile* input : inputs) terms.push_back({input, 1});
  return Combine(terms, mismatch);
}

Result<Profile> Subtract(const Profile& profile, const Profile& base, TypeMismatch mismatch) {
  const Term terms[] = {{&profile, 1}, {&base, -1}};
  return Combine(terms, mismatch);
}

}  // namespace sonde
