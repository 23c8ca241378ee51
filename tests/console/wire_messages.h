// Reads the messages of the Instrument service, as far as tests look at them.

#ifndef SONDE_TESTS_CONSOLE_WIRE_MESSAGES_H_
#define SONDE_TESTS_CONSOLE_WIRE_MESSAGES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "export/protobuf_reader.h"

namespace sonde {

// The fields of a message: numbers and nested bytes by field number.
struct WireMessage {
  std::map<std::uint32_t, std::vector<std::uint64_t>> numbers;
  std::map<std::uint32_t, std::vector<std::string>> nested;

  explicit WireMessage(std::string_view bytes) {
    ProtobufReader reader(bytes);
    while (reader.Next()) {
      if (reader.wire() == ProtobufReader::kBytes) {
        nested[reader.field()].emplace_back(reader.bytes());
      } else {
        numbers[reader.field()].push_back(reader.number());
      }
    }
    is_ok = reader.ok();
  }
  std::uint64_t Number(std::uint32_t field) const {
    const auto found = numbers.find(field);
    return found == numbers.end() ? 0 : found->second.front();
  }
  bool Has(std::uint32_t field) const { return nested.contains(field) || numbers.contains(field); }
  WireMessage Nested(std::uint32_t field) const {
    const auto found = nested.find(field);
    return WireMessage(found == nested.end() ? std::string() : found->second.front());
  }
  std::vector<std::string> All(std::uint32_t field) const {
    const auto found = nested.find(field);
    return found == nested.end() ? std::vector<std::string>() : found->second;
  }
  bool is_ok = false;
};

// What a client knows after a number of Updates, by the rules that real clients follow.
struct ClientView {
  struct Row {
    std::string name;
    bool has_ended = false;
    std::uint64_t polls = 0;
  };
  std::map<std::uint64_t, Row> tasks;
  std::map<std::uint64_t, bool> resources;  // Has it ended?
  std::map<std::uint64_t, bool> async_ops;
  std::uint64_t dropped = 0;
  std::uint64_t without_stats = 0;  // New tasks that a client would not show.

  // `frame` with its five bytes in front.
  void Take(std::string_view frame) {
    const WireMessage update(frame.substr(5));
    const WireMessage task_update = update.Nested(2);
    dropped += task_update.Number(4);
    std::map<std::uint64_t, WireMessage> stats;
    for (const std::string& entry : task_update.All(3)) {
      const WireMessage message(entry);
      stats.emplace(message.Number(1), message.Nested(2));
    }
    for (const std::string& bytes : task_update.All(1)) {
      const WireMessage task(bytes);
      const std::uint64_t id = task.Nested(1).Number(1);
      if (!stats.contains(id)) ++without_stats;
      Row row;
      for (const std::string& field : task.All(4)) {
        const WireMessage message(field);
        if (message.All(1).front() == "task.name") row.name = message.All(4).front();
      }
      tasks[id] = row;
    }
    for (const auto& [id, message] : stats) {
      if (!tasks.contains(id)) continue;
      tasks[id].has_ended = message.Has(2);
      tasks[id].polls = message.Nested(7).Number(1);
    }
    TakeOthers(update.Nested(3), 1, 2, resources);
    TakeOthers(update.Nested(4), 1, 2, async_ops);
  }

 private:
  static void TakeOthers(const WireMessage& update, std::uint32_t entities, std::uint32_t stats,
                         std::map<std::uint64_t, bool>& into) {
    for (const std::string& bytes : update.All(entities)) {
      into[WireMessage(bytes).Nested(1).Number(1)] = false;
    }
    for (const std::string& bytes : update.All(stats)) {
      const WireMessage entry(bytes);
      into[entry.Number(1)] = entry.Nested(2).Has(2);
    }
  }
};

}  // namespace sonde

#endif  // SONDE_TESTS_CONSOLE_WIRE_MESSAGES_H_
