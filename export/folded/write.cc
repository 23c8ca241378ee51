// Folded stacks: one line a stack, "root;leaf weight".

#include <algorithm>
#include <string>
#include <vector>

#include "sonde/call_tree.h"
#include "sonde/folded.h"

namespace sonde {
namespace {

constexpr std::size_t kFlushBytes = std::size_t{64} << 10;
constexpr std::string_view kNoFrame = "[unknown]";

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

// What cannot stand inside a name is replaced; a name of blanks alone has no text at all. A byte
// order mark in front would be taken for the file's by who reads it, when its line comes first.
std::string Escaped(std::string_view name) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  while (name.starts_with(kByteOrderMark)) {
    name.remove_prefix(kByteOrderMark.size());
    while (!name.empty() && IsBlank(name.front())) name.remove_prefix(1);
  }
  std::string text(name);
  for (char& c : text) {
    if (c == ';') c = ':';
    if (c != ' ' && IsBlank(c)) c = ' ';
  }
  if (std::ranges::all_of(text, IsBlank)) return std::string(kNoFrame);
  return text;
}

// Walks the call tree in the byte order of the lines. Different names may have
// the same escaped text, so what is walked are groups of nodes.
class FoldedWriter {
 public:
  FoldedWriter(const FrameNames& names, std::size_t sample_type, ByteSink& sink)
      : tree_(names, sample_type), sink_(sink) {
    texts_.reserve(names.name_count());
    for (std::uint32_t i = 0; i < names.name_count(); ++i) {
      texts_.push_back(Escaped(names.text(NameId{i})));
    }
  }

  Status Write() {
    const std::uint32_t root = 0;
    PushChildren({&root, 1});
    while (!pending_.empty()) {
      const Step step = pending_.back();
      pending_.pop_back();
      prefix_.resize(step.prefix_bytes);
      const std::string_view text = step.text;
      if (step.is_line) {
        if (Status status = WriteLine(text, step.self); !status.ok()) return status;
        continue;
      }
      prefix_ += text;
      prefix_ += ';';
      // Taken out first: pushing children may move the groups.
      const std::vector<std::uint32_t> group(
          groups_.begin() + static_cast<std::ptrdiff_t>(step.first),
          groups_.begin() + static_cast<std::ptrdiff_t>(step.first + step.count));
      PushChildren(group);
    }
    return sink_.Write(out_);
  }

 private:
  // Either a line to write or, below the same name, a group of nodes to walk.
  struct Step {
    std::string_view text;
    bool is_line = false;
    std::int64_t self = 0;
    std::size_t first = 0;  // In groups_.
    std::size_t count = 0;
    std::size_t prefix_bytes = 0;
  };

  std::string_view TextOf(std::uint32_t node) const {
    return texts_[static_cast<std::uint32_t>(tree_.nodes()[node].frame.name)];
  }

  void PushChildren(std::span<const std::uint32_t> parents) {
    const std::span<const CallNode> nodes = tree_.nodes();
    std::vector<std::uint32_t> children;
    for (const std::uint32_t parent : parents) {
      for (std::uint32_t child = nodes[parent].first_child; child != CallNode::kNone;
           child = nodes[child].next_sibling) {
        children.push_back(child);
      }
    }
    std::ranges::sort(children, [&](std::uint32_t a, std::uint32_t b) {
      const int order = TextOf(a).compare(TextOf(b));
      return order != 0 ? order < 0 : a < b;
    });

    std::vector<Step> steps;
    const bool at_root = parents.size() == 1 && parents.front() == 0;
    std::int64_t without_frames = at_root ? nodes[0].self : 0;
    for (std::size_t i = 0; i < children.size();) {
      const std::string_view text = TextOf(children[i]);
      Step line{.text = text, .is_line = true, .prefix_bytes = prefix_.size()};
      Step below{.text = text, .first = groups_.size(), .prefix_bytes = prefix_.size()};
      for (; i < children.size() && TextOf(children[i]) == text; ++i) {
        line.self = SaturatingAdd(line.self, nodes[children[i]].self);
        if (nodes[children[i]].first_child == CallNode::kNone) continue;
        groups_.push_back(children[i]);
        ++below.count;
      }
      if (text == kNoFrame) line.self = SaturatingAdd(line.self, std::exchange(without_frames, 0));
      if (line.self != 0) steps.push_back(line);
      if (below.count != 0) steps.push_back(below);
    }
    if (without_frames != 0) {
      steps.push_back({.text = kNoFrame,
                       .is_line = true,
                       .self = without_frames,
                       .prefix_bytes = prefix_.size()});
    }
    // The lines below a name all start with it and ';', which decides where they stand.
    std::ranges::stable_sort(steps, [](const Step& a, const Step& b) { return Compare(a, b) < 0; });
    pending_.insert(pending_.end(), steps.rbegin(), steps.rend());
  }

  static int Compare(const Step& a, const Step& b) {
    const std::size_t common = std::min(a.text.size(), b.text.size());
    const int order = a.text.substr(0, common).compare(b.text.substr(0, common));
    if (order != 0) return order;
    const auto next = [&](const Step& step) {
      if (step.text.size() > common)
        return static_cast<int>(static_cast<unsigned char>(step.text[common]));
      return step.is_line ? -1 : static_cast<int>(';');
    };
    return next(a) - next(b);
  }

  Status WriteLine(std::string_view text, std::int64_t weight) {
    out_ += prefix_;
    out_ += text;
    out_ += ' ';
    out_ += std::to_string(weight);
    out_ += '\n';
    if (out_.size() < kFlushBytes) return {};
    Status status = sink_.Write(out_);
    out_.clear();
    return status;
  }

  CallTree tree_;
  ByteSink& sink_;
  std::vector<std::string> texts_;  // By NameId.
  std::vector<Step> pending_;       // A stack: the next step is the last.
  std::vector<std::uint32_t> groups_;
  std::string prefix_;
  std::string out_;
};

}  // namespace

Status WriteFolded(const FrameNames& names, std::size_t sample_type, ByteSink& sink) {
  return FoldedWriter(names, sample_type, sink).Write();
}

}  // namespace sonde
