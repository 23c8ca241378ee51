// sonde completion and sonde manual: the command line described to shells and to man.

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "sonde/byte_sink.h"

namespace sonde::cli {
namespace {

Status WritePages(const std::vector<ManualPage>& pages, const std::string& folder) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  for (const ManualPage& page : pages) {
    Result<std::unique_ptr<FileSink>> sink = FileSink::Open(folder + '/' + page.file);
    if (!sink.ok()) return sink.error();
    if (Status status = sink.value()->Write(page.text); !status.ok()) return status;
    if (Status status = sink.value()->Close(); !status.ok()) return status;
  }
  return {};
}

}  // namespace

void AddCompletion(Program& program) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* command = program.Command(
      "completion", "Print the script that lets a shell complete command lines", [&program, shell] {
        std::cout << CompletionScript(FactsOf(program.app()), *shell);
        return Result<int>(0);
      });
  command->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));

  const auto folder = std::make_shared<std::string>();
  command =
      program.Command("manual", "Write the manual pages", [&program, folder]() -> Result<int> {
        const Status written = WritePages(ManualPages(FactsOf(program.app())), *folder);
        if (!written.ok()) return written.error();
        return 0;
      });
  command->add_option("folder", *folder, "Where to; made when it is missing")->required();
}

}  // namespace sonde::cli
