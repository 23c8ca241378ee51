// CodexRecord: one line of a Codex log, taken apart but not yet understood.

#include "agentlog/codex_record.h"

namespace sonde::agentlog {
namespace {

using json::od::value;

class Reader {
 public:
  Reader(json::TextArena& arena, CodexRecord& record)
      : arena_(arena), record_(record), payload_(record.payload) {}

  bool Line(json::od::object object) {
    return json::ForFields(object,
                           [&](std::string_view key, value item) { return LineField(key, item); });
  }

 private:
  bool LineField(std::string_view key, value item) {
    if (key == "type") return Read(item, record_.type);
    if (key == "timestamp") return Read(item, record_.timestamp);
    if (key == "ordinal") return json::ReadNumber(item, record_.ordinal);
    if (key == "payload") return Payload(item);
    // Some recorders wrap each event of a stream once more.
    if ((key == "event" || key == "data" || key == "msg") && record_.type.empty()) {
      return Payload(item);
    }
    return record_.has_payload ? true : PayloadField(key, item);
  }

  bool Payload(value item) {
    bool is_object = false;
    if (!json::IsOf(item, json::od::json_type::object, is_object)) return false;
    if (!is_object) return true;
    record_.has_payload = true;
    return json::ForFields(
        item, [&](std::string_view key, value field) { return PayloadField(key, field); });
  }

  bool PayloadField(std::string_view key, value item) {
    switch (key.empty() ? '\0' : key.front()) {
      case 'a':
        if (key == "arguments") {
          return json::ReadRaw(item, payload_.raw_arguments) &&
                 json::ReadJson(item, payload_.arguments);
        }
        if (key == "action") return json::ReadJson(item, payload_.action);
        break;
      case 'c':
        if (key == "call_id" || key == "callId") return Read(item, payload_.call_id);
        if (key == "content") return Content(item);
        if (key == "cwd") return Read(item, payload_.cwd);
        if (key == "cli_version") return Read(item, payload_.cli_version);
        if (key == "command") return json::ReadJson(item, payload_.command);
        break;
      case 'e':
        if (key == "effort") return Read(item, payload_.effort);
        if (key == "exit_code") return json::ReadNumber(item, payload_.exit_code);
        break;
      case 'f':
        if (key == "forked_from_id") return Read(item, payload_.forked_from_id);
        break;
      case 'g':
        if (key == "git") payload_.has_header_keys = true;
        break;
      case 'h':
        if (key == "history_base") return HistoryBase(item);
        break;
      case 'i':
        if (key == "id") return Read(item, payload_.id);
        if (key == "info") return Info(item);
        if (key == "item") return Item(item);
        if (key == "input") return json::ReadRaw(item, payload_.raw_input);
        if (key == "images") return Images(item);
        if (key == "instructions") payload_.has_header_keys = true;
        if (key == "internal_chat_message_metadata_passthrough") return Metadata(item);
        break;
      case 'k':
        if (key == "kind") return Read(item, payload_.kind);
        break;
      case 'l':
        if (key == "local_images") return Images(item);
        break;
      case 'm':
        if (key == "message") return json::ReadRaw(item, payload_.raw_message);
        if (key == "model") return Read(item, payload_.model);
        if (key == "metadata") return Metadata(item);
        if (key == "meta" && record_.type == "session_meta") {
          return json::ForFields(item, [&](std::string_view inner, value field) {
            return PayloadField(inner, field);
          });
        }
        break;
      case 'n':
        if (key == "name") return Read(item, payload_.name);
        break;
      case 'o':
        if (key == "output") return Output(item, payload_.output);
        break;
      case 'p':
        if (key == "phase") return Read(item, payload_.phase);
        if (key == "parent_thread_id") return Read(item, payload_.parent_thread_id);
        break;
      case 'r':
        if (key == "role") return Read(item, payload_.role);
        if (key == "reason") return Read(item, payload_.reason);
        if (key == "response_id") return Read(item, payload_.response_id);
        if (key == "result") return ResultOf(item, payload_.failed);
        if (key == "record_type") payload_.has_record_type = true;
        break;
      case 's':
        return PayloadFieldOfS(key, item);
      case 't':
        if (key == "type") return Read(item, payload_.type);
        if (key == "tool" && payload_.name.empty()) return Read(item, payload_.name);
        if (key == "thread_id") return Read(item, payload_.thread_id);
        if (key == "thread_source") return Read(item, payload_.thread_source);
        if (key == "thread_name") return Read(item, payload_.thread_name);
        if (key == "turn_id") return Read(item, payload_.turn_id);
        if (key == "timestamp") return Read(item, payload_.timestamp);
        break;
      case 'u':
        if (key == "usage") return Counters(item, payload_.usage);
        break;
      default:
        break;
    }
    return true;
  }

  bool PayloadFieldOfS(std::string_view key, value item) {
    if (key == "status") return Read(item, payload_.status);
    if (key == "session_id") return Read(item, payload_.session_id);
    if (key == "started_at") return json::ReadNumber(item, payload_.started_at_s);
    if (key == "subagent_history_start_ordinal") {
      return json::ReadNumber(item, payload_.start_ordinal);
    }
    if (key == "source") return Source(item);
    if (key == "success") return Success(item, payload_.failed);
    return true;
  }

  bool Read(value item, std::string_view& out) { return json::Read(item, out, arena_); }

  static bool Success(value item, bool& failed) {
    bool success = true;
    if (!json::Read(item, success)) return false;
    failed = failed || !success;
    return true;
  }

  // {"Err": ...} or {"Ok": {"isError": true}}.
  static bool ResultOf(value item, bool& failed) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "Err") failed = true;
      if (key == "isError" || key == "is_error") {
        bool is_error = false;
        if (!json::Read(field, is_error)) return false;
        failed = failed || is_error;
      }
      return key == "Ok" ? ResultOf(field, failed) : true;
    });
  }

  bool Source(value item) {
    if (!Read(item, payload_.source)) return false;
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key != "subagent") return true;
      payload_.is_subagent = true;
      return json::ForFields(field, [&](std::string_view inner, value spawn) {
        if (inner != "thread_spawn") return true;
        payload_.is_spawned = true;
        return json::ForFields(spawn, [&](std::string_view name, value id) {
          return name == "parent_thread_id" && payload_.parent_thread_id.empty()
                     ? Read(id, payload_.parent_thread_id)
                     : true;
        });
      });
    });
  }

  bool HistoryBase(value item) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      return key == "end_ordinal_exclusive" ? json::ReadNumber(field, payload_.start_ordinal)
                                            : true;
    });
  }

  bool Images(value item) {
    return json::ForElements(item, [&](value) {
      payload_.has_image = true;
      return true;
    });
  }

  bool Metadata(value item) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key != "content_item_kinds") return true;
      payload_.has_kinds = true;
      return json::ForElements(
          field, [&](value kind) { return Read(kind, payload_.kinds.emplace_back()); });
    });
  }

  bool Content(value item) {
    bool is_text = false;
    if (!json::IsOf(item, json::od::json_type::string, is_text)) return false;
    if (is_text) return json::ReadRaw(item, payload_.raw_texts.emplace_back());
    return json::ForElements(item, [&](value element) {
      std::string_view raw_text;
      std::string_view type;
      if (!Part(element, raw_text, type)) return false;
      if (type.find("image") != std::string_view::npos) payload_.has_image = true;
      payload_.raw_texts.push_back(raw_text);
      return true;
    });
  }

  bool Part(value element, std::string_view& raw_text, std::string_view& type) {
    return json::ForFields(element, [&](std::string_view key, value field) {
      if (key == "text") return json::ReadRaw(field, raw_text);
      if (key == "type") return Read(field, type);
      return true;
    });
  }

  bool Output(value item, CodexOutput& output) {
    output.is_present = true;
    if (!json::IsOf(item, json::od::json_type::string, output.is_text)) return false;
    if (output.is_text) return json::ReadRaw(item, output.raw_text);
    const bool whole = json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "success") {
        output.has_success = true;
        return json::Read(field, output.success);
      }
      return key == "content" ? json::ReadRaw(field, output.raw_text) : true;
    });
    return whole && json::ForElements(item, [&](value element) {
             std::string_view raw_text;
             std::string_view type;
             if (!Part(element, raw_text, type)) return false;
             if (output.raw_text.empty()) output.raw_text = raw_text;
             return true;
           });
  }

  bool Item(value value_of_item) {
    CodexItem& item = payload_.item;
    return json::ForFields(value_of_item, [&](std::string_view key, value field) {
      if (key == "type" || key == "item_type") return Read(field, item.type);
      if (key == "id") return Read(field, item.id);
      if (key == "status") return Read(field, item.status);
      if (key == "exit_code") return json::ReadNumber(field, item.exit_code);
      if (key == "success") return Success(field, item.failed);
      if (key == "server") return Read(field, item.server);
      if (key == "tool") return Read(field, item.tool);
      if (key == "query") return json::ReadRaw(field, item.query);
      if (key == "arguments") return json::ReadJson(field, item.arguments);
      if (key == "changes") return json::ReadJson(field, item.changes);
      if (key == "text") return json::ReadRaw(field, item.raw_text);
      if (key == "result") return ResultOf(field, item.failed);
      if (key == "command") {
        return json::ReadRaw(field, item.raw_command) && json::ReadJson(field, item.command);
      }
      if (key == "content") return ItemContent(field);
      return true;
    });
  }

  bool ItemContent(value field) {
    return json::ForElements(field, [&](value element) {
      std::string_view raw_text;
      std::string_view type;
      if (!Part(element, raw_text, type)) return false;
      if (type.find("image") != std::string_view::npos) payload_.item.has_image = true;
      if (payload_.item.raw_text.empty()) payload_.item.raw_text = raw_text;
      return true;
    });
  }

  bool Info(value item) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "last_token_usage") return Counters(field, payload_.info.last);
      if (key == "total_token_usage") return Counters(field, payload_.info.total);
      if (key == "model") return Read(field, payload_.info.model);
      return true;
    });
  }

  static bool Counters(value item, CodexCounters& counters) {
    if (!json::IsOf(item, json::od::json_type::object, counters.is_present)) return false;
    return json::ForFields(item, [&](std::string_view key, value field) {
      bool& odd = counters.is_odd;
      if (key == "input_tokens") return json::ReadCount(field, counters.input, odd);
      if (key == "cached_input_tokens") return json::ReadCount(field, counters.cached, odd);
      if (key == "cache_write_input_tokens") {
        return json::ReadCount(field, counters.cache_write, odd);
      }
      if (key == "output_tokens") return json::ReadCount(field, counters.output, odd);
      if (key == "reasoning_output_tokens") {
        return json::ReadCount(field, counters.reasoning, odd);
      }
      if (key == "total_tokens") return json::ReadCount(field, counters.total, odd);
      return true;
    });
  }

  json::TextArena& arena_;
  CodexRecord& record_;
  CodexPayload& payload_;
};

}  // namespace

void CodexRecord::Clear() {
  // The lists keep their memory.
  std::vector<std::string_view> texts = std::move(payload.raw_texts);
  std::vector<std::string_view> kinds = std::move(payload.kinds);
  *this = CodexRecord();
  texts.clear();
  kinds.clear();
  payload.raw_texts = std::move(texts);
  payload.kinds = std::move(kinds);
}

bool ReadCodexRecord(json::od::object object, json::TextArena& arena, CodexRecord& record) {
  return Reader(arena, record).Line(object);
}

}  // namespace sonde::agentlog
