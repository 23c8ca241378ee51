// PushRequest: a profile as the engines want to be sent it.

#include "console/client/push_request.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "console/json_writer.h"

namespace sonde {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;

Error Usage(std::string message) {
  return {.code = ErrorCode::kUsage, .message = std::move(message), .stage = "push"};
}

std::string ProgramName() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  const std::string_view whole(path.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return std::string(whole.substr(whole.rfind('/') + 1));
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text.push_back(i + j <= bytes.size() ? kLetters[group >> (18 - 6 * j) & 63] : '=');
    }
  }
  return text;
}

// Headers must not be split, and Pyroscope's names not be torn apart.
bool IsPlain(std::string_view text, std::string_view forbidden) {
  return std::ranges::none_of(text, [&](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
           forbidden.find(c) != std::string_view::npos;
  });
}

bool IsLabelName(std::string_view name) {
  return !name.empty() && !(name.front() >= '0' && name.front() <= '9') &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

Result<std::vector<std::pair<std::string, std::string>>> ParseLabels(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> labels;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
    if (!IsLabelName(name) || value.empty() || !IsPlain(value, "{}")) {
      return Usage("push.labels: '" + std::string(part) + "' is not NAME=VALUE");
    }
    labels.emplace_back(name, value);
  }
  return labels;
}

// What engines call a profile whose first sample type is `type`.
std::string SeriesName(const PushedProfile& profile) {
  for (const ValueType& type : profile.sample_types) {
    if (type.type == "cpu") return "process_cpu";
    if (type.type.starts_with("inuse_") || type.type.starts_with("alloc_")) return "memory";
  }
  return profile.sample_types.empty() ? "samples" : profile.sample_types.back().type;
}

// How Pyroscope shows each sample type.
std::string SampleTypeConfig(const PushedProfile& profile) {
  JsonWriter json;
  json.BeginObject();
  for (const ValueType& type : profile.sample_types) {
    json.BeginObject(type.type);
    json.Text("units", type.unit);
    json.Text("display-name", type.type);
    json.Text("aggregation", type.type.starts_with("inuse_") ? "average" : "sum");
    json.Bool("sampled", profile.samples_per_second != 0);
    json.EndObject();
  }
  json.EndObject();
  return std::move(json).Take();
}

std::string PathUnder(std::string base, std::string_view end) {
  base.resize(std::min(base.find('?'), base.size()));
  while (base.ends_with('/')) base.pop_back();
  if (!base.ends_with(end)) base += end;
  return base;
}

}  // namespace

Result<PushTarget> PushTarget::Make(const PushOptions& options) {
  PushTarget target;
  Result<ServerAddress> address = ParseServerAddress(options.url, "80");
  if (!address.ok()) return Usage("push.url: " + address.error().message);
  target.address_ = std::move(address).value();
  target.engine_ = options.engine;
  target.application_ = options.application.empty() ? ProgramName() : options.application;
  if (!IsPlain(target.application_, "{},=")) {
    return Usage("push.application: '" + options.application + "' holds one of {},=");
  }
  auto labels = ParseLabels(options.labels);
  if (!labels.ok()) return labels.error();
  target.labels_ = std::move(labels).value();
  for (const auto& [name, value] :
       {std::pair("tenant", &options.tenant), std::pair("user", &options.user),
        std::pair("password", &options.password), std::pair("token", &options.token)}) {
    if (!IsPlain(*value, {})) {
      return Usage(std::string("push.") + name + " holds a control character");
    }
  }
  if (!options.token.empty() && !options.user.empty()) {
    return Usage("push.token and push.user exclude each other");
  }
  target.tenant_ = options.tenant;
  if (!options.token.empty()) target.authorization_ = "Bearer " + options.token;
  if (!options.user.empty()) {
    target.authorization_ = "Basic " + Base64(options.user + ':' + options.password);
  }
  target.authorities_ = options.authorities;
  return target;
}

HttpQuestion PushTarget::RequestFor(const PushedProfile& profile) const {
  HttpQuestion request =
      engine_ == PushEngine::kPyroscope ? PyroscopeRequest(profile) : ParcaRequest(profile);
  request.method = "POST";
  request.authorities = authorities_;
  request.most_bytes = std::uint64_t{1} << 20;
  request.headers.emplace_back("user-agent", "sonde");
  if (!tenant_.empty()) request.headers.emplace_back("x-scope-orgid", tenant_);
  if (!authorization_.empty()) request.headers.emplace_back("authorization", authorization_);
  return request;
}

HttpQuestion PushTarget::PyroscopeRequest(const PushedProfile& profile) const {
  std::string name = application_ + '{';
  for (const auto& [key, value] : labels_) {
    name += (name.back() == '{' ? "" : ",") + key + '=' + value;
  }
  name += '}';
  // Whole seconds that hold all of the profile.
  const std::int64_t from = profile.time_ns / kNanosecondsPerSecond;
  const std::int64_t until =
      (profile.time_ns + profile.duration_ns + kNanosecondsPerSecond - 1) / kNanosecondsPerSecond;
  HttpQuestion request;
  request.target = PathUnder(address_.path, "/ingest") + "?name=" + PercentEncode(name) +
                   "&from=" + std::to_string(from) +
                   "&until=" + std::to_string(std::max(until, from + 1)) +
                   "&format=pprof&spyName=sonde";
  if (profile.samples_per_second > 0) {
    request.target += "&sampleRate=" + std::to_string(profile.samples_per_second);
  }
  // Compressed bytes hold no such line but by an accident that has yet to happen.
  constexpr std::string_view kBoundary = "sonde-5f9c1e7a3b2d4860-boundary";
  const auto part = [&](std::string_view field, std::string_view file, std::string_view type) {
    request.body += "--" + std::string(kBoundary) + "\r\nContent-Disposition: form-data; name=\"" +
                    std::string(field) + "\"; filename=\"" + std::string(file) +
                    "\"\r\nContent-Type: " + std::string(type) + "\r\n\r\n";
  };
  part("profile", "profile.pb.gz", "application/octet-stream");
  request.body += profile.bytes + "\r\n";
  part("sample_type_config", "sample_type_config.json", "application/json");
  request.body += SampleTypeConfig(profile) + "\r\n--" + std::string(kBoundary) + "--\r\n";
  request.headers.emplace_back("content-type",
                               "multipart/form-data; boundary=" + std::string(kBoundary));
  return request;
}

HttpQuestion PushTarget::ParcaRequest(const PushedProfile& profile) const {
  JsonWriter json;
  const auto label = [&](std::string_view name, std::string_view value) {
    json.BeginObject();
    json.Text("name", name);
    json.Text("value", value);
    json.EndObject();
  };
  json.BeginObject();
  json.BeginArray("series");
  json.BeginObject();
  json.BeginObject("labels");
  json.BeginArray("labels");
  label("__name__", SeriesName(profile));
  label("job", application_);
  for (const auto& [name, value] : labels_) label(name, value);
  json.EndArray();
  json.EndObject();
  json.BeginArray("samples");
  json.BeginObject();
  json.Text("raw_profile", Base64(profile.bytes));
  json.EndObject();
  json.EndArray();
  json.EndObject();
  json.EndArray();
  json.Bool("normalized", false);
  json.EndObject();
  HttpQuestion request;
  request.target = PathUnder(address_.path, "/profiles/writeraw");
  request.headers.emplace_back("content-type", "application/json");
  request.body = std::move(json).Take();
  return request;
}

PushOutcome OutcomeOf(int status) noexcept {
  constexpr int kRequestTimeout = 408;
  constexpr int kTooMany = 429;
  if (status >= 200 && status < 300) return PushOutcome::kTaken;
  if (status >= 500 || status == kRequestTimeout || status == kTooMany) {
    return PushOutcome::kTryAgain;
  }
  return PushOutcome::kRefused;
}

}  // namespace sonde
