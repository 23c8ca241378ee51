// SessionRecorder: turns the events of one session into operations, keeping no text.

#ifndef SONDE_AGENTLOG_SESSION_RECORDER_H_
#define SONDE_AGENTLOG_SESSION_RECORDER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agentlog/frame_namer.h"
#include "agentlog/operation.h"
#include "sonde/agent_session.h"
#include "sonde/tagger.h"

namespace sonde::agentlog {

// Outlives the recorders that share it.
struct RecorderOptions {
  std::string project_root;
  std::size_t path_depth = 2;
  bool include_previews = false;
  Tagger* tagger = nullptr;       // Never null when a recorder is made.
  Tagger* task_tagger = nullptr;  // Chooses the session's task from a closed set; may be null.
  // Gets the text of each prompt without a tag, from any thread; may be empty.
  std::function<void(std::string_view)> on_unmatched_prompt;
};

class SessionRecorder : public SessionVisitor {
 public:
  SessionRecorder(const RecorderOptions& options, const AgentSession& session,
                  std::string_view cwd);

  void OnTitle(std::string_view title) override { title_ = title; }
  void OnPrompt(const AgentPrompt& prompt) override;
  void OnCall(const LlmCall& call) override;
  void OnTool(const ToolCall& tool) override;

  // Asks for what could only be asked at the end. Call once.
  SessionOperations Take() &&;

 private:
  static constexpr std::size_t kSessionPrompts = 8;
  static constexpr std::size_t kSessionPromptBytes = std::size_t{16} << 10;
  static constexpr std::size_t kPreviewBytes = 180;

  StringId Named(std::string_view name) { return recorded_.strings.Intern(name); }
  StringId HashId(std::string_view text);
  StringId PreviewOf(std::string_view text);
  void TagSilentCall();
  void AddFacts(Operation& operation, const ToolFacts& facts);

  const RecorderOptions& options_;
  PathScope scope_;
  std::string hints_;
  std::string cwd_;
  std::string title_;
  SessionOperations recorded_;
  StringId skill_{};
  std::size_t session_prompts_ = 0;
  std::string session_prompt_text_;
  // The last call without text: it is tagged by the tools it asks for.
  std::size_t silent_call_ = SIZE_MAX;
  std::uint32_t silent_index_ = kNoIndex;
  std::string silent_tools_;
};

// "One line  of text" without line breaks and double blanks, at most `limit` bytes, never cut
// inside a character.
std::string PreviewText(std::string_view text, std::size_t limit);

// A prompt that only tells the agent to go on ("continue", "ok", "继续"). Any thread.
bool IsContinuation(std::string_view prompt);

}  // namespace sonde::agentlog

#endif  // SONDE_AGENTLOG_SESSION_RECORDER_H_
