// CodexPrompts: what a person, or the parent of a sub-agent, said in a Codex log.

#include "agentlog/codex_prompts.h"

#include <algorithm>
#include <string>

#include "agentlog/claude_prompt.h"
#include "agentlog/codex_text.h"
#include "agentlog/hash.h"

namespace sonde::agentlog {
namespace {

bool IsUsers(std::string_view kind) noexcept { return kind.starts_with("user."); }

std::string_view Inside(std::string_view text, std::string_view open, std::string_view close) {
  const std::size_t begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + open.size());
  return Trimmed(text.substr(0, text.find(close)));
}

}  // namespace

bool CodexPrompts::TakeMessage(const CodexPayload& payload) {
  if (!payload.kind.empty() && payload.kind != "plain") return false;
  return Prompt(PromptSource::kRecord, arena_.Decoded(payload.raw_message), payload.has_image);
}

bool CodexPrompts::TakeInput(const CodexPayload& payload) {
  std::string text;
  for (std::size_t i = 0; i < payload.raw_texts.size(); ++i) {
    if (payload.has_kinds && (i >= payload.kinds.size() || !IsUsers(payload.kinds[i]))) continue;
    const std::string_view part = arena_.Decoded(payload.raw_texts[i]);
    if (!text.empty() && !part.empty()) text += '\n';
    text += part;
  }
  if (payload.has_kinds) {
    return std::ranges::any_of(payload.kinds, IsUsers) &&
           Prompt(PromptSource::kMarked, text, payload.has_image);
  }
  const std::string_view trimmed = Trimmed(text);
  if (trimmed.starts_with("<user_shell_command>")) {
    return Prompt(PromptSource::kRecord, Inside(trimmed, "<command>", "</command>"), false,
                  PromptKind::kBashInput);
  }
  if (trimmed.empty() ? !payload.has_image : IsInjectedByCodex(trimmed)) return false;
  return Prompt(PromptSource::kInput, trimmed, payload.has_image);
}

bool CodexPrompts::TakeItem(const CodexItem& item) {
  return item.type == "UserMessage" &&
         Prompt(PromptSource::kItem, arena_.Decoded(item.raw_text), item.has_image);
}

bool CodexPrompts::Prompt(PromptSource source, std::string_view text, bool has_image,
                          PromptKind kind) {
  if (!thread_.is_own()) return false;
  text = Trimmed(text);
  if (text.empty() && !has_image && kind == PromptKind::kUser) return false;
  if (kind == PromptKind::kUser && thread_.is_subagent()) kind = PromptKind::kAgent;
  const std::int64_t time_ns = thread_.time_ns();
  Hash64 key('p');
  key.Add(thread_.key())
      .Add(static_cast<std::uint64_t>(source))
      .Add(static_cast<std::uint64_t>(time_ns))
      .Add(HashOf(text));
  if (time_ns == kNoTime) key.Add(thread_.place());
  sink_.OnPrompt({.thread = thread_.number(),
                  .place = thread_.place(),
                  .key = key.value(),
                  .time_ns = time_ns,
                  .kind = kind,
                  .source = source,
                  .turn = thread_.turn(),
                  .has_image = has_image,
                  .text = text});
  return true;
}

void CodexPrompts::TakeInterruption() {
  if (!thread_.is_own()) return;
  const std::int64_t time_ns = thread_.time_ns();
  sink_.OnPrompt({.thread = thread_.number(),
                  .place = thread_.place(),
                  .key = Hash64('i')
                             .Add(thread_.key())
                             .Add(static_cast<std::uint64_t>(time_ns))
                             .Add(time_ns == kNoTime ? thread_.place() : 0)
                             .value(),
                  .time_ns = time_ns,
                  .kind = PromptKind::kInterruption});
}

}  // namespace sonde::agentlog
