// ManualPages: the program's own help as pages for man.

#include "cli/command_line.h"
#include "cli/version.h"

namespace sonde::cli {
namespace {

// Plain text in roff: no character of it is a request.
std::string Roff(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n')) {
      escaped += "\\&";
      escaped += c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string PageName(const std::string& command) {
  std::string name = command.empty() ? "sonde" : "sonde-" + command;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return name;
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string OptionText(const OptionFacts& option) {
  std::string text = ".TP\n";
  if (option.names.empty()) {
    text += "\\fI" + Roff(option.place) + "\\fR\n";
  } else {
    for (std::size_t i = 0; i < option.names.size(); ++i) {
      text += (i == 0 ? "\\fB" : ", \\fB") + Roff(option.names[i]) + "\\fR";
    }
    if (option.takes_value) text += " \\fIvalue\\fR";
    text += '\n';
  }
  text += Roff(option.description.empty() ? "See the command's documentation" : option.description);
  text += option.description.ends_with('.') ? "\n" : ".\n";
  if (!option.values.empty()) {
    text += "One of";
    for (std::size_t i = 0; i < option.values.size(); ++i) {
      text += (i == 0 ? " \\fB" : ", \\fB") + Roff(option.values[i]) + "\\fR";
    }
    text += ".\n";
  }
  if (!option.default_text.empty()) text += "Default: " + Roff(option.default_text) + ".\n";
  return text;
}

std::string PageText(const CommandFacts& command, const std::vector<CommandFacts>& commands) {
  const std::string name = PageName(command.name);
  std::string text = ".TH " + Upper(Roff(name)) + " 1 \"\" \"sonde " + kVersion + "\" \"sonde\"\n";
  text += ".SH NAME\n" + Roff(name) + " \\- " + Roff(command.description) + "\n.SH SYNOPSIS\n";
  text += "\\fBsonde" + (command.name.empty() ? "" : ' ' + Roff(command.name)) + "\\fR";
  if (command.name.empty()) text += " \\fIcommand\\fR";
  text += " [\\fIoption\\fR...]";
  for (const OptionFacts& option : command.options) {
    if (option.names.empty()) text += " \\fI" + Roff(option.place) + "\\fR";
  }
  text += "\n.SH OPTIONS\n";
  for (const OptionFacts& option : command.options) text += OptionText(option);
  if (!command.name.empty()) {
    return text +
           ".SH SEE ALSO\n\\fBsonde\\fR(1), for options that every command takes and for "
           "exit codes\n";
  }
  text += ".SH COMMANDS\n";
  for (const CommandFacts& other : commands) {
    if (other.name.empty()) continue;
    text += ".TP\n\\fB" + Roff(other.name) + "\\fR\n" + Roff(other.description) + ", see \\fB" +
            Roff(PageName(other.name)) + "\\fR(1)\n";
  }
  text += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] :
       {std::pair{"0", "done"},
        {"2", "the command line or an input is wrong"},
        {"3", "an input breaks its format, or is of a format that is not read"},
        {"4", "a stated limit was exceeded"},
        {"5", "the output was refused or could not be written, or a gate is closed"},
        {"6", "an external program failed or took too long"},
        {"70", "a fault in sonde"}}) {
    text += std::string(".TP\n") + code + '\n' + meaning + '\n';
  }
  return text;
}

}  // namespace

std::vector<ManualPage> ManualPages(const std::vector<CommandFacts>& commands) {
  std::vector<ManualPage> pages;
  for (const CommandFacts& command : commands) {
    pages.push_back({PageName(command.name) + ".1", PageText(command, commands)});
  }
  return pages;
}

}  // namespace sonde::cli
