// StackTable: call stacks, each stored once, as a trie that grows from the root frame.

#ifndef SONDE_STACK_TABLE_H_
#define SONDE_STACK_TABLE_H_

#include <cstdint>
#include <vector>

namespace sonde {

enum class LocationId : std::uint32_t {};

// One node of the trie: the stack that ends in it. kEmptyStack has no frame.
enum class StackId : std::uint32_t {};
inline constexpr StackId kEmptyStack{0};

// A caller's id is always smaller than its callee's, so one pass over the ids
// in falling order adds children into their parents. Memory is bounded by the
// distinct stack prefixes. Any number of threads may read one that nobody changes.
class StackTable {
 public:
  StackTable();

  // The stack `caller` with `callee` on top of it, added if it is new.
  StackId Extend(StackId caller, LocationId callee);

  // Gives back the memory that only Extend needs. A later Extend takes it anew.
  void Finish() noexcept { index_ = std::vector<std::uint32_t>(); }

  // Not for kEmptyStack, which is its own caller and has no leaf.
  StackId caller(StackId stack) const noexcept { return nodes_[Index(stack)].caller; }
  LocationId leaf(StackId stack) const noexcept { return nodes_[Index(stack)].leaf; }

  std::uint32_t Depth(StackId stack) const noexcept;
  // The frames from the root to the leaf.
  std::vector<LocationId> Frames(StackId stack) const;

  // Number of nodes, the empty stack included: ids run from 0 to size() - 1.
  std::size_t size() const noexcept { return nodes_.size(); }
  // Memory held, in bytes.
  std::size_t bytes() const noexcept;

 private:
  struct Node {
    StackId caller;
    LocationId leaf;
  };
  static std::uint32_t Index(StackId stack) noexcept { return static_cast<std::uint32_t>(stack); }
  void Grow();

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> index_;  // Open addressing: node number, or 0 when free.
};

}  // namespace sonde

#endif  // SONDE_STACK_TABLE_H_
