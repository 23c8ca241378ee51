// CodexOutputReader: how a tool ended, from the record of its output.

#include "agentlog/codex_output.h"

#include "agentlog/codex_text.h"

namespace sonde::agentlog {
namespace {

// Of an output, only its start is looked at.
constexpr std::size_t kStatusBytes = 4096;

bool ExitCodeIn(json::od::value metadata, std::optional<ToolStatus>& status) {
  return json::ForFields(metadata, [&](std::string_view key, json::od::value value) {
    if (key != "exit_code") return true;
    std::int64_t exit_code = 0;
    if (!json::ReadNumber(value, exit_code)) return false;
    if (exit_code != 0) status = ToolStatus::kFailed;
    if (!status) status = ToolStatus::kOk;
    return true;
  });
}

}  // namespace

bool IsFailure(std::string_view status) noexcept { return status == "failed" || status == "error"; }

bool IsRefusal(std::string_view status) noexcept {
  return status == "declined" || status == "rejected";
}

ToolStatus CodexOutputReader::StatusOf(const CodexPayload& payload) {
  const CodexOutput& output = payload.output;
  const ToolStatus status = StatusOf(output.raw_text);
  if (status != ToolStatus::kOk) return status;
  const bool has_failed = (output.has_success && !output.success) || IsFailure(payload.status);
  return has_failed ? ToolStatus::kFailed : ToolStatus::kOk;
}

ToolStatus CodexOutputReader::StatusOf(std::string_view raw) {
  if (raw.starts_with("{\\\"")) {
    if (const std::optional<ToolStatus> status = StatusInJson(raw)) return *status;
  }
  return TellCodexStatus(arena_.Decoded(raw.substr(0, kStatusBytes))).value_or(ToolStatus::kOk);
}

// An output that is itself JSON: {"output": ..., "metadata": {"exit_code": 1}}.
std::optional<ToolStatus> CodexOutputReader::StatusInJson(std::string_view raw) {
  text_ = arena_.Decoded(raw);
  const std::size_t size = text_.size();
  text_.append(kLinePadding, '\0');
  std::optional<ToolStatus> status;
  std::string_view rest;
  const json::Outcome outcome =
      parser_.Parse(std::string_view(text_.data(), size), rest, [&](json::od::object object) {
        return json::ForFields(object, [&](std::string_view key, json::od::value value) {
          if (key == "success") {
            bool success = true;
            if (!json::Read(value, success)) return false;
            if (!success) status = ToolStatus::kFailed;
          }
          return key == "metadata" ? ExitCodeIn(value, status) : true;
        });
      });
  return outcome == json::Outcome::kRecord ? status : std::nullopt;
}

}  // namespace sonde::agentlog
