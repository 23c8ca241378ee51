// tui: a terminal program that is profiled from the moment its conversation is on the screen.
//
//   tui [directory]
//
// Its snapshots are called tui-profile-... and may lie in the folder of a daemon.

#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "screen.h"
#include "sonde/label.h"
#include "sonde/session.h"
#include "sonde/task.h"

namespace {

// Finds the answer to `question` the hard way, so that there is something to see in a profile.
std::uint64_t Ponder(const std::string& question) {
  std::uint64_t hash = question.size();
  for (int round = 0; round < 40'000'000; ++round) {
    hash = (hash ^ static_cast<std::uint64_t>(round)) * 0x9fb21c651e98df25U;
  }
  return hash;
}

std::string Answer(const std::string& question) {
  sonde::Task task("answer", {{"letters", static_cast<std::uint64_t>(question.size())}});
  const sonde::PollGuard poll = task.Poll();
  const sonde::ScopedLabel label("screen", "conversation");
  return "the answer to \"" + question + "\" is " + std::to_string(Ponder(question) % 100);
}

// Welcomes, then talks until the user has enough.
void Converse(sonde::Session* session) {
  chat::Screen screen;
  screen.Draw("welcome", {"Enter begins a conversation."});
  if (!screen.ReadLine().has_value()) return;

  // Here the user's time begins to count: no sample is of starting up, or of waiting for Enter.
  std::vector<std::string> lines = {"Ask. An empty line ends."};
  if (session != nullptr) {
    const sonde::Status started = session->Start();
    if (!started.ok()) lines.push_back("not profiled: " + sonde::Describe(started.error()));
  }
  while (true) {
    screen.Draw("conversation", lines);
    const std::optional<std::string> question = screen.ReadLine();
    if (!question.has_value() || question->empty()) return;
    lines.push_back("> " + *question);
    lines.push_back(Answer(*question));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string problem;  // Nothing may be printed while the screen belongs to the conversation.
  sonde::Result<sonde::Session> session = sonde::Session::Create(sonde::SessionOptions{
      .role = sonde::Role::kTerminalUi,
      .directory = argc > 1 ? argv[1] : "run/tui",
      .on_error = [&problem](const sonde::Error& error) { problem = sonde::Describe(error); }});
  if (!session.ok()) std::cerr << "tui: " << sonde::Describe(session.error()) << '\n';

  Converse(session.ok() ? &session.value() : nullptr);

  // The terminal is the user's again: now the last snapshot is written, and what went wrong said.
  if (session.ok()) {
    const sonde::Status ended = session.value().End();
    if (!ended.ok()) problem = sonde::Describe(ended.error());
  }
  if (!problem.empty()) std::cerr << "tui: profiling: " << problem << '\n';
  return 0;
}
