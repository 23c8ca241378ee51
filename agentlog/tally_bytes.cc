// EncodeTally, DecodeTally: a tally as bytes of the machine that wrote it.

#include <cstring>
#include <optional>
#include <type_traits>

#include "agentlog/parse_cache.h"

namespace sonde::agentlog {
namespace {

class Encoder {
 public:
  void Number(std::uint64_t number) { Raw(&number, sizeof(number)); }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  template <typename Row>
  void Rows(const std::vector<Row>& rows) {
    static_assert(std::is_trivially_copyable_v<Row>);
    Number(rows.size());
    Raw(rows.data(), rows.size() * sizeof(Row));
  }
  template <typename Row>
  void Rows(const RowList<Row>& rows) {
    Number(rows.size());
    rows.ForRuns([&](const Row* run, std::size_t count) { Raw(run, count * sizeof(Row)); });
  }
  template <typename Row>
  void Rows(const RowTable<Row>& table) {
    Rows(table.rows());
  }
  void Names(const NameTable& names) {
    Number(names.names().size());
    for (const std::string& name : names.names()) Text(name);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  void Raw(const void* data, std::size_t size) {
    if (size != 0) bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  std::uint64_t Number() {
    std::uint64_t number = 0;
    Raw(&number, sizeof(number));
    return number;
  }
  std::string Text() {
    const std::uint64_t size = Number();
    if (size > rest_.size()) return Fail(), std::string();
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }
  // A count of things that take `each` bytes or more.
  std::uint64_t Count(std::size_t each) {
    const std::uint64_t count = Number();
    if (count > rest_.size() / each) return Fail(), 0;
    return count;
  }
  template <typename Row>
  void Rows(std::vector<Row>& rows) {
    rows.resize(Count(sizeof(Row)));
    Raw(rows.data(), rows.size() * sizeof(Row));
  }
  template <typename Row>
  void Rows(RowList<Row>& rows) {
    const std::uint64_t count = Count(sizeof(Row));
    rows.Append(rest_.data(), count);
    rest_.remove_prefix(count * sizeof(Row));
  }
  template <typename Row>
  void Rows(RowTable<Row>& table) {
    Rows(table.rows());
  }
  void Names(NameTable& names) {
    for (std::uint64_t left = Count(sizeof(std::uint64_t)); left != 0; --left) {
      names.Intern(Text(), UINT32_MAX);
    }
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  void Raw(void* to, std::size_t size) {
    if (size > rest_.size()) return Fail();
    if (size != 0) std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  std::string_view rest_;
  bool ok_ = true;
};

void EncodeThreads(Encoder& out, const Tally& tally) {
  out.Number(tally.threads.size());
  for (const TallyThread& thread : tally.threads) {
    out.Number(static_cast<std::uint64_t>(thread.agent));
    out.Number((thread.is_subagent ? 1U : 0U) | (thread.runs_nested ? 2U : 0U));
    out.Text(thread.session_id);
    out.Text(thread.agent_id);
    out.Text(thread.parent_id);
    out.Text(thread.version);
    out.Number(static_cast<std::uint64_t>(thread.start_ns));
    out.Number(static_cast<std::uint64_t>(thread.end_ns));
    out.Rows(thread.folders);
  }
}

void DecodeThreads(Decoder& in, Tally& tally) {
  for (std::uint64_t left = in.Count(64); left != 0 && in.ok(); --left) {
    TallyThread& thread = tally.threads.emplace_back();
    thread.agent = in.Number() == 0 ? AgentKind::kCodex : AgentKind::kClaude;
    const std::uint64_t flags = in.Number();
    thread.is_subagent = (flags & 1) != 0;
    thread.runs_nested = (flags & 2) != 0;
    thread.session_id = in.Text();
    thread.agent_id = in.Text();
    thread.parent_id = in.Text();
    thread.version = in.Text();
    thread.start_ns = static_cast<std::int64_t>(in.Number());
    thread.end_ns = static_cast<std::int64_t>(in.Number());
    in.Rows(thread.folders);
  }
}

void EncodeOrigin(Encoder& out, const Origin& origin) {
  out.Number(origin.parent_key);
  out.Number(static_cast<std::uint64_t>(origin.created_ns));
  out.Number((origin.is_spawned ? 1U : 0U) | (origin.tells_start ? 2U : 0U) |
             (origin.is_stream ? 4U : 0U));
  out.Number(origin.own_turn_place);
  out.Number(origin.burst_calls);
  out.Number(origin.burst_place);
  out.Rows(origin.points);
}

void DecodeOrigin(Decoder& in, Origin& origin) {
  origin.parent_key = in.Number();
  origin.created_ns = static_cast<std::int64_t>(in.Number());
  const std::uint64_t flags = in.Number();
  origin.is_spawned = (flags & 1) != 0;
  origin.tells_start = (flags & 2) != 0;
  origin.is_stream = (flags & 4) != 0;
  origin.own_turn_place = static_cast<std::uint32_t>(in.Number());
  origin.burst_calls = static_cast<std::uint32_t>(in.Number());
  origin.burst_place = static_cast<std::uint32_t>(in.Number());
  in.Rows(origin.points);
}

void EncodeLosses(Encoder& out, const Losses& losses) {
  out.Number(losses.entries().size());
  for (const Loss& loss : losses.entries()) {
    out.Text(loss.cause);
    out.Text(loss.unit);
    out.Number(loss.count);
    out.Number(loss.places.size());
    for (const std::string& place : loss.places) out.Text(place);
  }
}

void DecodeLosses(Decoder& in, Losses& losses) {
  for (std::uint64_t left = in.Count(32); left != 0 && in.ok(); --left) {
    const std::string cause = in.Text();
    const std::string unit = in.Text();
    std::uint64_t count = in.Number();
    // The first places carry one of the count each; the rest has none.
    for (std::uint64_t places = in.Count(8); places != 0 && in.ok(); --places) {
      losses.Add(cause, unit, 1, in.Text());
      if (count != 0) --count;
    }
    if (count != 0) losses.Add(cause, unit, count);
  }
}

// Every number that is used as an index is one.
bool IsSound(const Tally& tally) {
  const std::size_t threads = tally.threads.size();
  const auto all = [](const auto& rows, auto&& holds) {
    for (const auto& row : rows) {
      if (!holds(row)) return false;
    }
    return true;
  };
  return all(tally.calls.rows(),
             [&](const CallRow& row) {
               return row.thread < threads && row.model < tally.models.names().size() &&
                      row.effort < tally.efforts.names().size() &&
                      (row.is_wide == 0 || row.tokens.input < tally.wide.size());
             }) &&
         all(tally.tool_calls.rows(),
             [&](const ToolRow& row) {
               return row.thread < threads && row.name < tally.tools.names().size();
             }) &&
         all(tally.prompts.rows(),
             [&](const PromptRow& row) {
               return row.thread < threads &&
                      row.kind <= static_cast<std::uint8_t>(PromptKind::kInterruption);
             }) &&
         all(tally.marks.rows(), [&](const MarkRow& row) {
           return row.thread < threads &&
                  row.kind <= static_cast<std::uint8_t>(MarkKind::kQueuedNotRecorded);
         });
}

}  // namespace

std::string EncodeTally(const Tally& tally) {
  Encoder out;
  out.Number(tally.agent ? static_cast<std::uint64_t>(*tally.agent) + 1 : 0);
  EncodeThreads(out, tally);
  out.Names(tally.models);
  out.Names(tally.efforts);
  out.Names(tally.tools);
  out.Rows(tally.calls);
  out.Rows(tally.tool_calls);
  out.Rows(tally.prompts);
  out.Rows(tally.marks);
  out.Rows(tally.wide);
  out.Rows(tally.call_aliases);
  out.Rows(tally.tool_aliases);
  EncodeOrigin(out, tally.origin);
  EncodeLosses(out, tally.losses);
  return out.Take();
}

std::unique_ptr<Tally> DecodeTally(std::string_view bytes) {
  Decoder in(bytes);
  auto tally = std::make_unique<Tally>();
  const std::uint64_t agent = in.Number();
  if (agent > 2) return nullptr;
  if (agent != 0) tally->agent = static_cast<AgentKind>(agent - 1);
  DecodeThreads(in, *tally);
  in.Names(tally->models);
  in.Names(tally->efforts);
  in.Names(tally->tools);
  in.Rows(tally->calls);
  in.Rows(tally->tool_calls);
  in.Rows(tally->prompts);
  in.Rows(tally->marks);
  in.Rows(tally->wide);
  in.Rows(tally->call_aliases);
  in.Rows(tally->tool_aliases);
  DecodeOrigin(in, tally->origin);
  DecodeLosses(in, tally->losses);
  if (!in.done() || !IsSound(*tally)) return nullptr;
  return tally;
}

}  // namespace sonde::agentlog
