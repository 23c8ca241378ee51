// LimitGuard: holds a reading to its ReadLimits, and ends it when it is called off.

#include "export/limit_guard.h"

namespace sonde {

Error OverLimit(std::string_view what, std::string_view key, std::uint64_t limit,
                std::uint64_t actual) {
  Error error{.code = ErrorCode::kLimit,
              .message = "more than " + std::to_string(limit) + ' ' + std::string(what)};
  error.details.push_back({std::string(key), static_cast<std::int64_t>(limit)});
  error.details.push_back({"actual", static_cast<std::int64_t>(actual)});
  return error;
}

Error ReadingCalledOff() {
  return {.code = ErrorCode::kTimeout, .message = "the reading was called off"};
}

Status LimitGuard::CountLimitedStack(StackId stack) {
  const auto index = static_cast<std::uint32_t>(stack);
  if (index >= seen_.size()) seen_.resize(builder_.stack_count() + index / 2 + 1, false);
  if (seen_[index]) return Look();
  seen_[index] = true;
  if (++stacks_ > limits_.unique_stacks) {
    return OverLimit("distinct stacks", "max_unique_call_paths", limits_.unique_stacks, stacks_);
  }
  return Look();
}

}  // namespace sonde
