// Pusher: sends profiles of the running session to a continuous-profiling engine.

#ifndef SONDE_PUSH_H_
#define SONDE_PUSH_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sonde/profile.h"
#include "sonde/result.h"

namespace sonde {

enum class PushEngine : std::uint8_t {
  kPyroscope,  // POST <url>/ingest
  kParca,      // POST <url>/profiles/writeraw
};

struct PushOptions {
  std::string url{};  // http://host:port or https://host; empty: nothing is pushed.
  PushEngine engine = PushEngine::kPyroscope;
  std::string application{};  // What the engine calls the program; empty: the program's file name.
  std::string labels{};       // Of every profile: "zone=eu-1,version=7".
  std::string tenant{};       // Of a Pyroscope that serves several (X-Scope-OrgID).
  std::string user{};         // With `password`, for basic authentication.
  std::string password{};
  std::string token{};        // Instead of these: "Authorization: Bearer <token>".
  std::string authorities{};  // PEM file of certificate authorities; empty: the system's.
  std::chrono::milliseconds interval{15'000};  // Of CPU profiles, 1 s to an hour.
  std::chrono::milliseconds timeout{10'000};   // Of a request.
  std::size_t queue = 16;                      // Profiles that wait, at most.
};

// A profile on its way out.
struct PushedProfile {
  std::string bytes{};  // pprof, gzip-compressed. Empty: there is nothing to send.
  std::int64_t time_ns = 0;
  std::int64_t duration_ns = 0;
  std::vector<ValueType> sample_types{};
  std::int64_t samples_per_second = 0;  // 0 = not known.
};

// taken = pushed + dropped + waiting.
struct PushStats {
  std::uint64_t taken = 0;
  std::uint64_t pushed = 0;
  // The queue was full, there was no memory, the engine would not have it, or the end came.
  std::uint64_t dropped = 0;
  std::uint64_t failures = 0;  // Attempts without success; most are made again.
  std::uint64_t bytes = 0;     // Of the profiles pushed.
  std::uint64_t waiting = 0;
  std::string problem{};  // What the last attempt failed of; empty when it succeeded.
};

class Pusher {
 public:
  virtual ~Pusher() = default;
  // Takes a last profile, sends what waits within two seconds, and ends. Later calls do nothing.
  virtual void Finish() = 0;
  // Any thread.
  virtual PushStats stats() const = 0;
};

// Where profiles come from: what was sampled since the last call.
using PushSource = std::function<PushedProfile()>;
// Told of the first failure after a success. Called on the pusher's thread.
using PushErrors = std::function<void(const Error&)>;
// What makes a pusher; empty when the program links none.
using PusherFactory =
    std::function<Result<std::unique_ptr<Pusher>>(const PushOptions&, PushSource, PushErrors)>;

// A PusherFactory over HTTP and HTTPS, from the target sonde::push, which brings OpenSSL:
// SessionOptions{.pusher = &sonde::MakeHttpPusher}. Takes a profile every interval on a thread of
// its own, which is not sampled. An attempt that fails is made again, after one second and then
// after twice as long each time, up to a minute, or when the engine says; meanwhile profiles wait,
// and when too many do the oldest is dropped. What an engine refuses for good (any 4xx but 408 and
// 429) is dropped. Fails with kUsage for options that cannot be right.
Result<std::unique_ptr<Pusher>> MakeHttpPusher(const PushOptions& options, PushSource source,
                                               PushErrors on_error);

}  // namespace sonde

#endif  // SONDE_PUSH_H_
