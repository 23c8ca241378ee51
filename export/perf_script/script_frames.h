// ScriptFrames: turns lines of perf script's text into locations of a profile.

#ifndef SONDE_EXPORT_PERF_SCRIPT_SCRIPT_FRAMES_H_
#define SONDE_EXPORT_PERF_SCRIPT_SCRIPT_FRAMES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/perf_script/frame_line.h"
#include "sonde/profile_builder.h"

namespace sonde::perf_script {

// Inlined frames share a location with the physical frame that follows them, and
// so do the inlined calls that a Java perf map writes as "caller->callee".
// Not thread-safe.
class ScriptFrames {
 public:
  // `builder` outlives the object. Without `has_addresses` the lines tell the half of the address
  // space alone.
  ScriptFrames(ProfileBuilder& builder, bool has_addresses)
      : builder_(builder), has_addresses_(has_addresses) {}

  // The lines that further stacks are made of. They outlive the next calls of Add.
  void Begin(std::span<const FrameLine> lines);

  // The stack whose lines have these numbers, the innermost frame first. Lines of
  // no known kind are left out.
  StackId Add(std::span<const std::uint32_t> lines);

  // The module that is called like most samples' comm, which is cut at fifteen characters; the
  // first one when none is.
  MappingId Program(const std::unordered_map<std::string_view, std::uint64_t>& comms) const;

 private:
  // What is interned of a line, whatever its place on a stack.
  struct Parts {
    bool is_known = false;
    MappingId mapping = kNoMapping;
    std::vector<FunctionId> functions;  // The innermost first.
  };

  // The location of the frame lines from `first` to `last`, of which the last is physical.
  LocationId LocationOf(std::span<const std::uint32_t> group, bool is_call);
  const Parts& PartsOf(std::uint32_t line);
  MappingId MappingOf(std::string_view module);
  FunctionId FunctionNamed(std::string_view name, StringId file);
  bool IsFrame(std::uint32_t line) const;

  ProfileBuilder& builder_;
  bool has_addresses_;
  std::span<const FrameLine> lines_;
  std::vector<Parts> parts_;             // By line.
  std::vector<std::uint32_t> plain_[2];  // By line, [is_call]: LocationId + 1, or 0.
  std::unordered_map<std::string_view, MappingId> mappings_;
  std::vector<LocationId> stack_;
};

}  // namespace sonde::perf_script

#endif  // SONDE_EXPORT_PERF_SCRIPT_SCRIPT_FRAMES_H_
