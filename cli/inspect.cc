// sonde inspect-elf, resolve-source and source-context: what files can tell about code.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/evidence_output.h"
#include "sonde/artifact.h"
#include "sonde/elf_inspection.h"
#include "sonde/source_resolution.h"

namespace sonde::cli {
namespace {

constexpr std::uint64_t kLargestInspection = std::uint64_t{8} << 20;
constexpr std::uint64_t kLargestBatch = std::uint64_t{64} << 20;

struct InspectOptions {
  std::string input;
  EvidenceOutput output;
};

struct ResolveOptions {
  std::string binary;
  std::string module_offset;
  std::string runtime_address;
  std::string mapping;
  std::string batch;
  std::string llvm_path;
  std::string addr2line_path;
  EvidenceOutput output;
};

struct ContextOptions {
  std::string file;
  SourceContextOptions context;
  std::vector<std::string> maps;
  EvidenceOutput output;
};

Result<int> Inspect(const InspectOptions& options) {
  if (Status status = options.output.Check({options.input}); !status.ok()) return status.error();
  const Result<nlohmann::json> value = InspectElf(options.input);
  if (!value.ok()) return value.error();
  if (Status status = options.output.Write(value.value()); !status.ok()) return status.error();
  return 0;
}

// One address a line; blank lines and lines that start with '#' are passed over. A line that does
// not resolve takes nothing from the others: it stands among the failures. Fails with the first of
// these when no line resolves.
Result<nlohmann::json> ResolveBatch(SourceResolver& resolver, const std::string& path) {
  const Result<std::string> text = ReadRegularFile(path, kLargestBatch);
  if (!text.ok()) return text.error();
  nlohmann::json results = nlohmann::json::array();
  nlohmann::json failures = nlohmann::json::array();
  std::optional<Error> first;
  std::string_view rest = text.value();
  for (std::uint64_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    const Result<std::uint64_t> address = ParseAddress(line, "module offset");
    Result<nlohmann::json> resolved =
        address.ok() ? resolver.Resolve(address.value()) : Result<nlohmann::json>(address.error());
    if (resolved.ok()) {
      results.push_back(std::move(resolved).value());
      continue;
    }
    Error error = resolved.error();
    failures.push_back({{"line", number}, {"text", OneLine(line)}, {"message", OneLine(error.message)}});
    error.file = path;
    error.line = number;
    if (!first.has_value()) first = std::move(error);
  }
  if (first.has_value() && results.empty()) return *first;
  if (first.has_value()) {
    Note(path + ": " + std::to_string(failures.size()) + " of " +
         std::to_string(failures.size() + results.size()) + " addresses were not resolved, first " +
         Describe(*first));
  }
  return nlohmann::json{{"schema_version", kSchemaVersion},
                        {"results", std::move(results)},
                        {"failures", std::move(failures)}};
}

Result<nlohmann::json> ResolveOne(SourceResolver& resolver, const ResolveOptions& options) {
  if (!options.module_offset.empty()) {
    const Result<std::uint64_t> offset = ParseAddress(options.module_offset, "module_offset");
    if (!offset.ok()) return offset.error();
    return resolver.Resolve(offset.value());
  }
  const Result<std::uint64_t> address = ParseAddress(options.runtime_address, "runtime_address");
  if (!address.ok()) return address.error();
  if (options.mapping.empty()) {
    return Error{.code = ErrorCode::kInvalid,
                 .message = "a runtime address needs the --mapping it lay in; it is never guessed",
                 .stage = "symbolization"};
  }
  const Result<MappedRange> range = ParseMappedRange(options.mapping);
  if (!range.ok()) return range.error();
  return resolver.ResolveRuntime(address.value(), range.value());
}

Result<int> Resolve(const ResolveOptions& options) {
  std::vector<std::string> inputs{options.binary};
  for (const std::string& other : {options.batch, options.llvm_path, options.addr2line_path}) {
    if (!other.empty()) inputs.push_back(other);
  }
  if (Status status = options.output.Check(inputs); !status.ok()) return status.error();
  const int asked = (options.module_offset.empty() ? 0 : 1) +
                    (options.runtime_address.empty() ? 0 : 1) + (options.batch.empty() ? 0 : 1);
  if (asked != 1) {
    return Error{.code = ErrorCode::kUsage,
                 .message = "give one of --module-offset, --runtime-address and --batch"};
  }
  SourceResolver::Tool tool = SourceResolver::Tool::kNative;
  if (!options.llvm_path.empty()) tool = SourceResolver::Tool::kLlvmSymbolizer;
  if (!options.addr2line_path.empty()) tool = SourceResolver::Tool::kAddr2line;
  Result<SourceResolver> resolver = SourceResolver::Open(
      options.binary, tool, options.llvm_path.empty() ? options.addr2line_path : options.llvm_path);
  if (!resolver.ok()) return resolver.error();
  const Result<nlohmann::json> value = options.batch.empty()
                                           ? ResolveOne(resolver.value(), options)
                                           : ResolveBatch(resolver.value(), options.batch);
  if (!value.ok()) return value.error();
  if (Status status = options.output.Write(value.value()); !status.ok()) return status.error();
  return 0;
}

Result<int> Context(const ContextOptions& options) {
  SourceContextOptions context = options.context;
  for (const std::string& map : options.maps) {
    const std::size_t equals = map.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{.code = ErrorCode::kUsage, .message = "--map takes FROM=TO, not " + map};
    }
    context.mappings.emplace_back(map.substr(0, equals), map.substr(equals + 1));
  }
  if (Status status = options.output.Check({options.file}); !status.ok()) return status.error();
  const Result<nlohmann::json> value = ReadSourceContext(options.file, context);
  if (!value.ok()) return value.error();
  // Where the file lies is known only now: below the workspace, and by --map.
  const std::string read = value.value()["file"].get<std::string>();
  if (Status status = options.output.Check({read}); !status.ok()) return status.error();
  if (Status status = options.output.Write(value.value()); !status.ok()) return status.error();
  return 0;
}

}  // namespace

void AddInspect(Program& program) {
  auto inspect = std::make_shared<InspectOptions>();
  CLI::App* command =
      program.Command("inspect-elf", "Write what a program or library tells about its code",
                      [inspect] { return Inspect(*inspect); });
  command->add_option("-i,--input", inspect->input, "ELF file")->required();
  inspect->output.AddTo(*command, kLargestInspection);

  auto resolve = std::make_shared<ResolveOptions>();
  command = program.Command("resolve-source",
                            "Write the functions and source lines of addresses of a file",
                            [resolve] { return Resolve(*resolve); });
  command->add_option("--binary", resolve->binary, "ELF file")->required();
  command->add_option("--module-offset", resolve->module_offset,
                      "Address as the file counts them, decimal or 0x, 0o, 0b");
  command->add_option("--runtime-address", resolve->runtime_address,
                      "Address in a process, together with --mapping");
  command->add_option("--mapping", resolve->mapping,
                      "Where the file was mapped: START-END@OFFSET, as in /proc/PID/maps");
  command->add_option("--batch", resolve->batch, "File with one module offset a line");
  command->add_option("--llvm-symbolizer-path", resolve->llvm_path,
                      "Ask this llvm-symbolizer instead of reading DWARF directly");
  command->add_option("--addr2line-path", resolve->addr2line_path,
                      "Ask this addr2line instead of reading DWARF directly");
  resolve->output.AddTo(*command, kLargestInspection);

  auto context = std::make_shared<ContextOptions>();
  command = program.Command("source-context", "Write the source lines around a place",
                            [context] { return Context(*context); });
  command->add_option("--file", context->file, "Source file, as the debug information names it")
      ->required();
  command->add_option("--line", context->context.line, "Line, counted from 1")
      ->required()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{INT64_MAX}));
  command->add_option("--workspace", context->context.workspace, "Nothing outside it is read")
      ->required();
  command->add_option("--map", context->maps,
                      "FROM=TO: where a build path lies here (repeatable, first that fits)");
  command->add_option("--before", context->context.before, "Lines before")
      ->check(CLI::Range(0, 200))
      ->capture_default_str();
  command->add_option("--after", context->context.after, "Lines after")
      ->check(CLI::Range(0, 200))
      ->capture_default_str();
  context->output.AddTo(*command, kLargestInspection);
}

}  // namespace sonde::cli
