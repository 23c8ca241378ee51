// ConsoleMessage: what recurs in the messages of a console server.

#include "cli/console_message.h"

#include <algorithm>
#include <limits>

namespace sonde::cli {
namespace {

constexpr std::int64_t kNsOfSecond = 1'000'000'000;
constexpr std::int64_t kMostSeconds =
    std::numeric_limits<std::int64_t>::max() / 3 / kNsOfSecond - 1;

void ReadPollStats(std::string_view bytes, TaskRow& task) {
  task.polls = 0;
  task.first_poll = task.last_poll_started = task.last_poll_ended = task.busy_ns = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        task.polls = reader.number();
        break;
      case 3:
        task.first_poll = ReadNs(reader.bytes());
        break;
      case 4:
        task.last_poll_started = ReadNs(reader.bytes());
        break;
      case 5:
        task.last_poll_ended = ReadNs(reader.bytes());
        break;
      case 6:
        task.busy_ns = ReadNs(reader.bytes());
        break;
      default:
        break;
    }
  }
}

}  // namespace

std::int64_t ReadNs(std::string_view bytes) {
  std::int64_t seconds = 0;
  std::int64_t ns = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) seconds = std::clamp<std::int64_t>(reader.integer(), 0, kMostSeconds);
    if (reader.field() == 2) ns = std::clamp<std::int64_t>(reader.integer(), 0, kNsOfSecond - 1);
  }
  return seconds * kNsOfSecond + ns;
}

std::uint64_t ReadId(std::string_view bytes) {
  std::uint64_t id = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) id = reader.number();
  }
  return id;
}

std::string ReadLocation(std::string_view bytes) {
  std::string place;
  std::uint64_t line = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1 || (reader.field() == 2 && place.empty())) place = reader.bytes();
    if (reader.field() == 3) line = reader.number();
  }
  if (line != 0) place += ':' + std::to_string(line);
  return place;
}

std::pair<std::string, std::string> ReadField(std::string_view bytes) {
  std::pair<std::string, std::string> field;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        field.first = reader.bytes();
        break;
      case 3:
      case 4:
        field.second = reader.bytes();
        break;
      case 5:
        field.second = std::to_string(reader.number());
        break;
      case 6: {
        const std::uint64_t bits = reader.number();
        field.second = std::to_string(static_cast<std::int64_t>(bits >> 1) ^
                                      -static_cast<std::int64_t>(bits & 1));
        break;
      }
      case 7:
        field.second = reader.number() != 0 ? "true" : "false";
        break;
      default:
        break;
    }
  }
  return field;
}

std::pair<std::uint64_t, std::string_view> ReadEntry(std::string_view bytes) {
  std::pair<std::uint64_t, std::string_view> entry;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) entry.first = reader.number();
    if (reader.field() == 2) entry.second = reader.bytes();
  }
  return entry;
}

void ReadTaskStats(std::string_view bytes, TaskRow& task) {
  task.dropped = task.last_wake = task.scheduled_ns = 0;
  task.wakes = task.self_wakes = task.waker_clones = task.waker_drops = 0;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        task.created = ReadNs(reader.bytes());
        break;
      case 2:
        task.dropped = ReadNs(reader.bytes());
        break;
      case 3:
        task.wakes = reader.number();
        break;
      case 4:
        task.waker_clones = reader.number();
        break;
      case 5:
        task.waker_drops = reader.number();
        break;
      case 6:
        task.last_wake = ReadNs(reader.bytes());
        break;
      case 7:
        ReadPollStats(reader.bytes(), task);
        break;
      case 8:
        task.self_wakes = reader.number();
        break;
      case 9:
        task.scheduled_ns = ReadNs(reader.bytes());
        break;
      default:
        break;
    }
  }
}

std::string ReadAttribute(std::string_view bytes) {
  std::string text;
  ProtobufReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() == 1) {
      const auto [name, value] = ReadField(reader.bytes());
      text = name + '=' + value;
    }
    if (reader.field() == 2) text += ' ' + std::string(reader.bytes());
  }
  return text;
}

}  // namespace sonde::cli
