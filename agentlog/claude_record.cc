// ClaudeRecord: one line of a Claude Code transcript, taken apart but not yet understood.

#include "agentlog/claude_record.h"

namespace sonde::agentlog {
namespace {

using json::od::value;

class Reader {
 public:
  explicit Reader(json::TextArena& arena) : arena_(arena) {}

  bool Record(json::od::object object, ClaudeRecord& record, ClaudeRecord* inner) {
    return json::ForFields(object, [&](std::string_view key, value item) {
      return RecordField(key, item, record, inner);
    });
  }

 private:
  bool RecordField(std::string_view key, value item, ClaudeRecord& record, ClaudeRecord* inner) {
    switch (key.empty() ? '\0' : key.front()) {
      case 'a':
        if (key == "agentId") return Read(item, record.agent_id);
        if (key == "attachment") return Attachment(item, record);
        if (key == "aiTitle") return Read(item, record.title);
        break;
      case 'c':
        if (key == "cwd") return Read(item, record.cwd);
        if (key == "content") return Content(item, record.content);
        if (key == "customTitle") return Read(item, record.title);
        break;
      case 'd':
        if (key == "data") return Data(item, record, inner);
        break;
      case 'e':
        if (key == "effort") return Read(item, record.effort);
        break;
      case 'f':
        if (key == "forkedFrom") return ForkedFrom(item, record.forked_from);
        break;
      case 'i':
        if (key == "isSidechain") return json::Read(item, record.is_sidechain);
        if (key == "isMeta") return json::Read(item, record.is_meta);
        if (key == "isCompactSummary") return json::Read(item, record.is_compact_summary);
        if (key == "isVisibleInTranscriptOnly") return json::Read(item, record.is_transcript_only);
        if (key == "isApiErrorMessage") return json::Read(item, record.is_api_error);
        break;
      case 'm':
        if (key == "message") return Message(item, record.message);
        break;
      case 'o':
        if (key == "operation") return Read(item, record.subtype);
        if (key == "origin") return Kind(item, record.origin_kind);
        break;
      case 'p':
        if (key == "parentUuid") return Read(item, record.parent_uuid);
        if (key == "promptSource") return Read(item, record.prompt_source);
        if (key == "parentToolUseID") return Read(item, record.parent_tool_use_id);
        if (key == "parent_tool_use_id") return StreamParent(item, record);
        break;
      case 'r':
        if (key == "requestId") return Read(item, record.request_id);
        break;
      case 's':
        return RecordFieldOfS(key, item, record);
      case 't':
        if (key == "type") return Read(item, record.type);
        if (key == "timestamp") return Read(item, record.timestamp);
        if (key == "toolDenialKind") {
          return json::IsOf(item, json::od::json_type::string, record.was_denied);
        }
        break;
      case 'u':
        if (key == "uuid") return Read(item, record.uuid);
        break;
      case 'v':
        if (key == "version") return Read(item, record.version);
        break;
      default:
        break;
    }
    return true;
  }

  bool RecordFieldOfS(std::string_view key, value item, ClaudeRecord& record) {
    if (key == "sessionId") return Read(item, record.session_id);
    if (key == "session_id" && record.session_id.empty()) return Read(item, record.session_id);
    if (key == "subtype") return Read(item, record.subtype);
    if (key == "sessionKind") return Read(item, record.session_kind);
    if (key == "summary") return Read(item, record.title);
    return true;
  }

  // Streams of the program's print mode mark a sub-agent's messages so.
  bool StreamParent(value item, ClaudeRecord& record) {
    std::string_view tool;
    if (!Read(item, tool)) return false;
    if (!tool.empty()) {
      record.is_sidechain = true;
      record.agent_id = tool;
    }
    return true;
  }

  bool Read(value item, std::string_view& out) { return json::Read(item, out, arena_); }

  bool Kind(value item, std::string_view& out) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      return key == "kind" ? Read(field, out) : true;
    });
  }

  bool ForkedFrom(value item, std::string_view& out) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      return key == "sessionId" ? Read(field, out) : true;
    });
  }

  bool Message(value item, ClaudeMessage& message) {
    if (!json::IsOf(item, json::od::json_type::object, message.is_present)) return false;
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "id") return Read(field, message.id);
      if (key == "model") return Read(field, message.model);
      if (key == "role") return Read(field, message.role);
      if (key == "stop_reason") return Read(field, message.stop_reason);
      if (key == "content") return Content(field, message.content);
      if (key == "usage") return Usage(field, message.usage);
      return true;
    });
  }

  bool Content(value item, ClaudeContent& content) {
    if (!json::IsOf(item, json::od::json_type::string, content.is_text)) return false;
    if (content.is_text) return json::ReadRaw(item, content.raw_text);
    return json::ForElements(
        item, [&](value element) { return Block(element, content.blocks.emplace_back()); });
  }

  bool Block(value item, ClaudeBlock& block) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "type") {
        std::string_view type;
        if (!Read(field, type)) return false;
        block.kind = KindOf(type);
        return true;
      }
      if (key == "text") return json::ReadRaw(field, block.raw_text);
      if (key == "id" || key == "tool_use_id") return Read(field, block.id);
      if (key == "name") return Read(field, block.name);
      if (key == "input") return json::ReadJson(field, block.input);
      if (key == "is_error") return json::Read(field, block.is_error);
      if (key == "content") {
        return json::ReadRaw(field, block.content) && json::ReadJson(field, block.content);
      }
      return true;
    });
  }

  static ClaudeBlock::Kind KindOf(std::string_view type) {
    if (type == "text") return ClaudeBlock::Kind::kText;
    if (type == "tool_use") return ClaudeBlock::Kind::kToolUse;
    if (type == "tool_result") return ClaudeBlock::Kind::kToolResult;
    if (type == "server_tool_use") return ClaudeBlock::Kind::kServerToolUse;
    if (type == "image" || type == "document") return ClaudeBlock::Kind::kImage;
    return ClaudeBlock::Kind::kOther;
  }

  struct Counts {
    TokenCounts tokens;
    std::uint64_t flat_creation = 0;
    bool odd = false;

    TokenCounts Sum() const {
      TokenCounts sum = tokens;
      sum.cache_creation =
          flat_creation != 0 ? flat_creation : tokens.cache_creation_5m + tokens.cache_creation_1h;
      return sum;
    }
  };

  bool CountField(std::string_view key, value field, Counts& counts) {
    TokenCounts& tokens = counts.tokens;
    if (key == "input_tokens") return json::ReadCount(field, tokens.input, counts.odd);
    if (key == "output_tokens") return json::ReadCount(field, tokens.output, counts.odd);
    if (key == "cache_read_input_tokens") {
      return json::ReadCount(field, tokens.cache_read, counts.odd);
    }
    if (key == "cache_creation_input_tokens") {
      return json::ReadCount(field, counts.flat_creation, counts.odd);
    }
    if (key == "cache_creation") {
      return json::ForFields(field, [&](std::string_view part, value number) {
        if (part == "ephemeral_5m_input_tokens") {
          return json::ReadCount(number, tokens.cache_creation_5m, counts.odd);
        }
        if (part == "ephemeral_1h_input_tokens") {
          return json::ReadCount(number, tokens.cache_creation_1h, counts.odd);
        }
        return true;
      });
    }
    return true;
  }

  bool Usage(value item, ClaudeUsage& usage) {
    if (!json::IsOf(item, json::od::json_type::object, usage.is_present)) return false;
    Counts counts;
    const bool whole = json::ForFields(item, [&](std::string_view key, value field) {
      return key == "iterations" ? Iterations(field, usage) : CountField(key, field, counts);
    });
    usage.tokens = counts.Sum();
    usage.is_odd = usage.is_odd || counts.odd;
    return whole;
  }

  // Entries of type "message" are in the sums already.
  bool Iterations(value item, ClaudeUsage& usage) {
    return json::ForElements(item, [&](value element) {
      Counts counts;
      std::string_view type;
      std::string_view model;
      const bool whole = json::ForFields(element, [&](std::string_view key, value field) {
        if (key == "type") return Read(field, type);
        if (key == "model") return Read(field, model);
        return CountField(key, field, counts);
      });
      if (type == "advisor_message") {
        usage.advisors.push_back({model, counts.Sum()});
        usage.is_odd = usage.is_odd || counts.odd;
      }
      return whole;
    });
  }

  bool Attachment(value item, ClaudeRecord& record) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "type") return Read(field, record.inner_type);
      if (key == "commandMode") return Read(field, record.inner_mode);
      if (key == "prompt") return Content(field, record.content);
      if (key == "origin") return Kind(field, record.inner_origin);
      if (key == "isMeta") return json::Read(field, record.inner_is_meta);
      return true;
    });
  }

  bool Data(value item, ClaudeRecord& record, ClaudeRecord* inner) {
    return json::ForFields(item, [&](std::string_view key, value field) {
      if (key == "type") return Read(field, record.inner_type);
      if (key == "agentId") return Read(field, record.inner_agent_id);
      if (key == "prompt") return json::ReadRaw(field, record.raw_inner_prompt);
      if (key != "message" || inner == nullptr) return true;
      bool is_object = false;
      if (!json::IsOf(field, json::od::json_type::object, is_object)) return false;
      if (!is_object) return true;
      json::od::object object;
      return field.get_object().get(object) == simdjson::SUCCESS && Record(object, *inner, nullptr);
    });
  }

  json::TextArena& arena_;
};

}  // namespace

void ClaudeRecord::Clear() {
  // The lists keep their memory.
  std::vector<ClaudeBlock> blocks = std::move(message.content.blocks);
  std::vector<ClaudeBlock> more = std::move(content.blocks);
  *this = ClaudeRecord();
  blocks.clear();
  more.clear();
  message.content.blocks = std::move(blocks);
  content.blocks = std::move(more);
}

bool ReadClaudeRecord(json::od::object object, json::TextArena& arena, ClaudeRecord& record,
                      ClaudeRecord* inner) {
  return Reader(arena).Record(object, record, inner);
}

}  // namespace sonde::agentlog
