// IntervalHub: lets several readers see the same samples, each over a span of its own.

#ifndef SONDE_CONSOLE_INTERVAL_HUB_H_
#define SONDE_CONSOLE_INTERVAL_HUB_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sampler/interval.h"

namespace sonde {

// Adds up intervals that follow each other: equal samples become one. Not thread-safe.
class IntervalSum {
 public:
  // The first one says where the sum begins.
  void Add(const Interval& interval);
  // What was added since the last Take.
  Interval Take();

 private:
  struct Key {
    std::vector<RawFrame> frames;
    std::uint32_t thread;
    std::uint32_t label_set;
    std::uint64_t task_id;
    std::uint32_t flags;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const noexcept;
  };

  Interval sum_;
  bool is_empty_ = true;
  std::unordered_map<Key, std::size_t, HashKey> samples_;
};

// Any thread.
class IntervalHub {
 public:
  // `cut` ends the sampler's interval and begins the next. `watch`, where there is one, is told
  // true before the first span is opened and false after the last one was closed.
  explicit IntervalHub(std::function<Interval()> cut, std::function<void(bool)> watch = {})
      : cut_(std::move(cut)), watch_(std::move(watch)) {}

  // Begins a span that sees all samples from now on.
  std::uint64_t Open();
  // What the span saw since it was opened, or since the last Take.
  Interval Take(std::uint64_t span);
  // The same, and ends the span.
  Interval Close(std::uint64_t span);
  // Gives `last`, the samples of an interval that was cut elsewhere, to all spans and cuts no more.
  void Finish(const Interval& last);

 private:
  void Cut();

  std::function<Interval()> cut_;
  std::function<void(bool)> watch_;
  std::mutex mutex_;
  std::uint64_t last_span_ = 0;
  std::map<std::uint64_t, IntervalSum> spans_;
};

}  // namespace sonde

#endif  // SONDE_CONSOLE_INTERVAL_HUB_H_
