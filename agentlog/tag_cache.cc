// TagCache: answers of a language model, kept from run to run.

#include "agentlog/tag_cache.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sonde/tag_rules.h"

namespace sonde::agentlog {

Result<TagCache> TagCache::Open(const std::string& path, bool writes) {
  TagCache cache;
  if (path.empty()) return cache;
  std::error_code error;
  bool ends_whole = true;
  if (std::filesystem::exists(path, error)) {
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path, error)) {
      return Error{
          .code = ErrorCode::kInvalid, .message = "the tag cache cannot be read", .file = path};
    }
    std::string line;
    while (std::getline(file, line)) {
      ends_whole = !file.eof();
      const nlohmann::json entry = nlohmann::json::parse(line, nullptr, false);
      if (!entry.is_object() || !entry.contains("key") || !entry["key"].is_string() ||
          !entry.contains("tag") || !entry["tag"].is_string() ||
          !IsTag(entry["tag"].get<std::string>())) {
        ++cache.damaged_lines_;
        continue;
      }
      cache.answers_[entry["key"].get<std::string>()] = entry["tag"].get<std::string>();
    }
  }
  if (!writes) return cache;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  cache.file_.reset(std::fopen(path.c_str(), "ab"));
  if (cache.file_ == nullptr) {
    return Error{
        .code = ErrorCode::kInvalid, .message = "the tag cache cannot be written", .file = path};
  }
  if (!ends_whole) std::fputc('\n', cache.file_.get());
  return cache;
}

const std::string* TagCache::Find(const std::string& key) const {
  const auto place = answers_.find(key);
  return place == answers_.end() ? nullptr : &place->second;
}

bool TagCache::Add(const std::string& key, std::string_view tag) {
  answers_[key] = tag;
  if (file_ == nullptr) return true;
  const std::string line = "{\"key\":\"" + key + "\",\"tag\":\"" + std::string(tag) + "\"}\n";
  return std::fwrite(line.data(), 1, line.size(), file_.get()) == line.size() &&
         std::fflush(file_.get()) == 0;
}

}  // namespace sonde::agentlog
