// CompletionScript: what a shell proposes on the command line of sonde.

#include <utility>
#include <vector>

#include "cli/command_line.h"

namespace sonde::cli {
namespace {

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// In single quotes, for any of the shells.
std::string ShellQuoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

// The words of commands, those of their own commands left out.
std::vector<std::string> CommandNames(const std::vector<CommandFacts>& commands) {
  std::vector<std::string> names;
  for (const CommandFacts& command : commands) {
    if (!command.name.empty() && command.name.find(' ') == std::string::npos) {
      names.push_back(command.name);
    }
  }
  return names;
}

// The commands of the command `parent`, and what is said about each.
std::vector<std::pair<std::string, const CommandFacts*>> CommandsOf(
    const std::string& parent, const std::vector<CommandFacts>& commands) {
  std::vector<std::pair<std::string, const CommandFacts*>> nested;
  for (const CommandFacts& command : commands) {
    if (!parent.empty() && command.name.starts_with(parent + ' ')) {
      nested.emplace_back(command.name.substr(parent.size() + 1), &command);
    }
  }
  return nested;
}

std::vector<std::string> NamesOf(
    const std::vector<std::pair<std::string, const CommandFacts*>>& commands) {
  std::vector<std::string> names;
  for (const auto& [name, facts] : commands) names.push_back(name);
  return names;
}

// The options that hold for every command.
const CommandFacts& ForAll(const std::vector<CommandFacts>& commands) { return commands.front(); }

std::string BashScript(const std::vector<CommandFacts>& commands) {
  std::string words;
  std::string values;
  for (const CommandFacts& command : commands) {
    std::vector<std::string> names;
    for (const OptionFacts& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.values.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : "|") + ShellQuoted(command.name + ' ' + name);
      }
      if (patterns.empty()) continue;
      values += "    " + patterns + ") COMPREPLY=($(compgen -W " +
                ShellQuoted(Joined(option.values)) + " -- \"$cur\")); return ;;\n";
    }
    words += "    " + ShellQuoted(command.name) + ") words=" + ShellQuoted(Joined(names)) + " ;;\n";
  }
  std::vector<std::string> everywhere;
  for (const OptionFacts& option : ForAll(commands).options) {
    everywhere.insert(everywhere.end(), option.names.begin(), option.names.end());
  }
  std::string nested;
  for (const CommandFacts& command : commands) {
    const auto of_it = CommandsOf(command.name, commands);
    if (of_it.empty()) continue;
    nested += "      " + ShellQuoted(command.name) + ") COMPREPLY=($(compgen -W " +
              ShellQuoted(Joined(NamesOf(of_it))) + " -- \"$cur\")) ;;\n";
  }
  std::string known;
  for (const CommandFacts& command : commands) {
    if (!command.name.empty()) known += (known.empty() ? "" : "|") + ShellQuoted(command.name);
  }
  return "# bash completion for sonde\n"
         "_sonde() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local command='' words='' word\n"
         "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
         "    case \"${command:+$command }$word\" in\n"
         "      " +
         known +
         ") command=${command:+$command }$word ;;\n"
         "    esac\n"
         "  done\n"
         "  COMPREPLY=()\n"
         "  case \"$command $prev\" in\n" +
         values +
         "  esac\n"
         "  case \"$command\" in\n" +
         words +
         "  esac\n"
         "  if [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words " +
         Joined(everywhere) +
         "\" -- \"$cur\"))\n"
         "  elif [[ -z $command ]]; then\n"
         "    COMPREPLY=($(compgen -W " +
         ShellQuoted(Joined(CommandNames(commands))) +
         " -- \"$cur\"))\n"
         "  else\n"
         "    case \"$command\" in\n" +
         nested +
         "    esac\n"
         "  fi\n"
         "}\n"
         "complete -o bashdefault -o default -F _sonde sonde\n";
}

// Fit for the text of a specification of _arguments.
std::string ZshText(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string ZshArguments(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& option : command.options) {
    std::string value;
    if (option.takes_value) {
      value = option.values.empty() ? ":value:_files" : ":value:(" + Joined(option.values) + ')';
    }
    for (const std::string& name : option.names) {
      text += " \\\n        " +
              ShellQuoted('*' + name + '[' + ZshText(option.description) + ']' + value);
    }
  }
  return text;
}

std::string ZshScript(const std::vector<CommandFacts>& commands) {
  std::string list;
  std::string cases;
  for (const CommandFacts& command : commands) {
    if (command.name.empty() || command.name.find(' ') != std::string::npos) continue;
    list += "    " + ShellQuoted(ZshText(command.name) + ':' + command.description) + '\n';
    const std::string everywhere = ZshArguments(ForAll(commands)) + " '*:file:_files' ;;\n";
    const auto nested = CommandsOf(command.name, commands);
    cases += "      " + command.name + ") ";
    if (nested.empty()) {
      cases += "_arguments" + ZshArguments(command) + everywhere;
      continue;
    }
    cases += "case $words[2] in\n";
    for (const auto& [name, facts] : nested) {
      cases += "        " + name + ") shift words; (( CURRENT-- )); _arguments" +
               ZshArguments(*facts) + everywhere;
    }
    cases += "        *) _arguments" + ZshArguments(command) + " '1:command:(" +
             Joined(NamesOf(nested)) + ")'" + everywhere + "        esac ;;\n";
  }
  return "#compdef sonde\n"
         "_sonde() {\n"
         "  local state line\n"
         "  local -a commands=(\n" +
         list +
         "  )\n"
         "  _arguments -C" +
         ZshArguments(ForAll(commands)) +
         " '1:command:->command' '*::argument:->argument'\n"
         "  case $state in\n"
         "    command) _describe command commands ;;\n"
         "    argument) case $words[1] in\n" +
         cases +
         "    esac ;;\n"
         "  esac\n"
         "}\n"
         "_sonde \"$@\"\n";
}

std::string FishScript(const std::vector<CommandFacts>& commands) {
  std::string text = "# fish completion for sonde\n";
  for (const CommandFacts& command : commands) {
    const std::string first = command.name.substr(0, command.name.find(' '));
    std::string condition;
    if (!command.name.empty()) {
      condition = "__fish_seen_subcommand_from " + first;
      if (command.name != first) {
        const std::string second = command.name.substr(first.size() + 1);
        text += "complete -c sonde -n " + ShellQuoted(condition) + " -a " + second + " -d " +
                ShellQuoted(command.description) + '\n';
        condition += "; and __fish_seen_subcommand_from " + second;
      }
      condition = " -n " + ShellQuoted(condition);
    }
    if (command.name == first && !first.empty()) {
      text += "complete -c sonde -f -n __fish_use_subcommand -a " + first + " -d " +
              ShellQuoted(command.description) + '\n';
    }
    for (const OptionFacts& option : command.options) {
      if (option.names.empty()) continue;
      text += "complete -c sonde" + condition;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      if (option.takes_value && option.values.empty()) text += " -r -F";
      if (!option.values.empty()) text += " -x -a " + ShellQuoted(Joined(option.values));
      text += " -d " + ShellQuoted(option.description) + '\n';
    }
  }
  return text;
}

}  // namespace

std::string CompletionScript(const std::vector<CommandFacts>& commands, const std::string& shell) {
  if (shell == "zsh") return ZshScript(commands);
  return shell == "fish" ? FishScript(commands) : BashScript(commands);
}

}  // namespace sonde::cli
