// Any bytes are an Update, or the details of a task, to a client of the console: what it then
// knows can be told and drawn.

#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/console_model.h"
#include "cli/console_view.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace sonde::cli;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  ConsoleModel model;
  // The second time everything is known already.
  for (int times = 0; times < 2; ++times) static_cast<void>(model.Apply(bytes));
  for (const auto& [id, task] : model.tasks()) {
    if (task.TotalNs(model.now()) < 0 || task.BusyNs(model.now()) < 0 ||
        task.ScheduledNs(model.now()) < 0 || task.IdleNs(model.now()) < 0) {
      std::abort();
    }
  }
  if (!nlohmann::json::accept(model.ToJson())) std::abort();
  ConsoleView view;
  const auto draw = [&] {
    const auto lines = view.Render(model, {"url", true, false, {}}, 80, 24);
    if (lines.size() != 24) std::abort();
    for (const ScreenLine& line : lines) {
      if (WidthOf(line.text) > 80) std::abort();
    }
  };
  for (const int key : {int{'2'}, int{'3'}, int{'1'}, int{kKeyEnter}}) {
    static_cast<void>(view.Press(key, model));
    draw();
  }
  if (auto details = ReadTaskDetails(bytes); details.ok()) {
    for (const DurationCounts* const counts :
         {&details.value().polls, &details.value().scheduled}) {
      std::uint64_t total = 0;
      for (const DurationCounts::Range& range : counts->ranges) total += range.count;
      if (total != counts->total) std::abort();
    }
    view.SetDetails(std::move(details).value());
    draw();
  }
  model.Retire();
  return 0;
}
