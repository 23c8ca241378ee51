// CommandLine: what the program accepts, as data for whatever describes it.

#include "cli/command_line.h"

#include <algorithm>

namespace sonde::cli {
namespace {

// CLI11 tells the values of a set only as part of the type's text: "TEXT:{a,b}", or
// "TEXT:value in {a->1,b->2}" where names stand for numbers.
std::vector<std::string> ValuesIn(const std::string& type) {
  std::vector<std::string> values;
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return values;
  std::string list = type.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string value = list.substr(0, comma);
    values.push_back(value.substr(0, value.find("->")));
    list.erase(0, comma == std::string::npos ? list.size() : comma + 1);
  }
  return values;
}

OptionFacts FactsOfOption(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  if (facts.names.empty()) facts.place = option.get_name(true);
  facts.description = option.get_description();
  facts.default_text = option.get_default_str();
  facts.values = ValuesIn(option.get_type_name());
  facts.takes_value = option.get_items_expected_max() > 0;
  facts.is_required = option.get_required();
  return facts;
}

void Append(const CLI::App& app, const std::string& name, std::vector<CommandFacts>& into) {
  CommandFacts facts{.name = name, .description = app.get_description(), .options = {}};
  for (const CLI::Option* option : app.get_options()) {
    facts.options.push_back(FactsOfOption(*option));
  }
  into.push_back(std::move(facts));
  std::vector<const CLI::App*> commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::sort(commands.begin(), commands.end(),
            [](const CLI::App* a, const CLI::App* b) { return a->get_name() < b->get_name(); });
  for (const CLI::App* command : commands) {
    Append(*command, name.empty() ? command->get_name() : name + ' ' + command->get_name(), into);
  }
}

}  // namespace

std::vector<CommandFacts> FactsOf(const CLI::App& app) {
  std::vector<CommandFacts> commands;
  Append(app, {}, commands);
  return commands;
}

}  // namespace sonde::cli
