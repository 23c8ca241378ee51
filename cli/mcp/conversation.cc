// Conversation: hears a client out while a tool works for it.

#include "cli/mcp/conversation.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cmath>
#include <thread>
#include <utility>

#include "sonde/artifact.h"

namespace sonde::cli::mcp {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestMessage = std::size_t{16} << 20;
constexpr std::size_t kMostWaiting = 256;
constexpr std::size_t kMostWaitingBytes = std::size_t{64} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr std::chrono::milliseconds kTick{250};
constexpr std::chrono::milliseconds kShortTick{20};
constexpr std::chrono::milliseconds kBetweenProgress{1000};
constexpr std::chrono::milliseconds kGraceAtEnd{2000};

// The token that a request asks to be told its progress by; null where it does not.
json ProgressTokenOf(const json& message) {
  const json parameters = message.value("params", json());
  const json meta = parameters.is_object() ? parameters.value("_meta", json()) : json();
  json token = meta.is_object() ? meta.value("progressToken", json()) : json();
  return token.is_string() || token.is_number_integer() ? token : json();
}

double Seconds(std::chrono::steady_clock::duration span) {
  return std::round(std::chrono::duration<double>(span).count() * 10) / 10;
}

}  // namespace

Status Conversation::Hold() {
  std::thread worker([this] { Work(); });
  Read();
  Wait();
  EndCalls();
  worker.join();
  if (!is_broken_) return {};
  return Error{.code = ErrorCode::kOutput, .message = "cannot write", .file = "standard output"};
}

void Conversation::Read() {
  std::array<char, kReadBytes> bytes{};
  while (true) {
    // An output that nobody reads any more shows without being asked for.
    std::array<pollfd, 3> events{pollfd{in_, POLLIN, 0}, pollfd{signals_.descriptor(), POLLIN, 0},
                                 pollfd{out_, 0, 0}};
    const int patience = IsBusy() ? static_cast<int>(kTick.count()) : -1;
    const int ready = ::poll(events.data(), events.size(), patience);
    if (ready < 0 && errno != EINTR) return;
    TellProgress();
    if (events[1].revents != 0 && signals_.Came()) {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      return;
    }
    if ((events[2].revents & (POLLERR | POLLHUP)) != 0) return;
    if (ready <= 0 || events[0].revents == 0) continue;
    const ssize_t got = ::read(in_, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    TakeBytes({bytes.data(), static_cast<std::size_t>(got)});
  }
  TakeLine();  // The last line may lack its end.
}

// The input may have come from a file: what was asked in it gets its answers, for a while.
void Conversation::Wait() {
  const Clock::time_point until = Clock::now() + kGraceAtEnd;
  while (Clock::now() < until && IsHeard() && !signals_.Came()) {
    std::unique_lock lock(mutex_);
    const auto is_done = [this] { return is_over_ || (running_ == nullptr && waiting_.empty()); };
    if (changed_.wait_for(lock, kShortTick, is_done)) return;
  }
}

void Conversation::EndCalls() {
  std::deque<std::shared_ptr<Request>> dropped;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    dropped.swap(waiting_);
    if (running_ != nullptr) running_->stop.request_stop();
  }
  changed_.notify_all();
  for (const auto& request : dropped) {
    Write(ErrorAnswer(request->id, kBusy, "the input ended before the call began"));
  }
}

void Conversation::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    waiting_bytes_ -= running_->bytes;
    Request& request = *running_;
    request.started = Clock::now();
    request.next_progress = request.started + kBetweenProgress;
    lock.unlock();
    const std::optional<json> answer = server_.Answer(request.message, request.call);
    lock.lock();
    // From here on no progress is told.
    const std::shared_ptr<Request> done = std::exchange(running_, nullptr);
    const bool is_wanted = done->is_wanted && answer;
    lock.unlock();
    if (is_wanted) Write(*answer);
    changed_.notify_all();
    lock.lock();
  }
}

void Conversation::TakeBytes(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > kLongestMessage) {
      is_too_long_ = true;
      line_.clear();
    }
    if (!is_too_long_) line_ += part;
    if (end == std::string_view::npos) return;
    TakeLine();
    bytes.remove_prefix(end + 1);
  }
}

void Conversation::TakeLine() {
  const std::string line = std::exchange(line_, {});
  if (std::exchange(is_too_long_, false)) {
    return Write(ErrorAnswer(json(), kInvalidRequest, "the message is too long"));
  }
  if (line.empty() || line == "\r") return;
  Result<json> parsed = ParseArtifact(line, "mcp");
  if (!parsed.ok()) return Write(ErrorAnswer(json(), kParseError, parsed.error().message));
  json& message = parsed.value();
  if (IsToolCall(message)) return Enqueue(std::move(message), line.size());
  if (message.is_object() && message.value("method", json()) == "notifications/cancelled") {
    return Cancel(message.value("params", json()));
  }
  Call call;
  if (const std::optional<json> answer = server_.Answer(message, call)) Write(*answer);
}

void Conversation::Enqueue(json message, std::size_t bytes) {
  const auto request = std::make_shared<Request>();
  request->id = message["id"];
  request->progress_token = ProgressTokenOf(message);
  request->message = std::move(message);
  request->bytes = bytes;
  request->call.stop = request->stop.get_token();
  const char* refusal = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto is_same = [&](const auto& other) {
      return other != nullptr && other->is_wanted && other->id == request->id;
    };
    if (!request->id.is_null() && (is_same(running_) || std::ranges::any_of(waiting_, is_same))) {
      refusal = "a call with this id is not done yet";
    } else if (waiting_.size() >= kMostWaiting || waiting_bytes_ + bytes > kMostWaitingBytes) {
      refusal = "too many calls wait already";
    } else {
      waiting_.push_back(request);
      waiting_bytes_ += bytes;
    }
  }
  if (refusal != nullptr) return Write(ErrorAnswer(request->id, kBusy, refusal));
  changed_.notify_all();
}

// Of a call that is done, or was never made, there is nothing to end.
void Conversation::Cancel(const json& parameters) {
  const json id = parameters.is_object() ? parameters.value("requestId", json()) : json();
  if (id.is_null()) return;
  const std::lock_guard lock(mutex_);
  if (running_ != nullptr && running_->id == id) {
    running_->is_wanted = false;
    running_->stop.request_stop();
    return;
  }
  const auto found =
      std::ranges::find_if(waiting_, [&](const auto& request) { return request->id == id; });
  if (found == waiting_.end()) return;
  waiting_bytes_ -= (*found)->bytes;
  waiting_.erase(found);
}

void Conversation::TellProgress() {
  // Held while writing, so that none comes after the answer.
  const std::lock_guard lock(mutex_);
  if (running_ == nullptr || !running_->is_wanted || running_->progress_token.is_null()) return;
  const Clock::time_point now = Clock::now();
  if (now < running_->next_progress) return;
  running_->next_progress = now + kBetweenProgress;
  json parameters = {{"progressToken", running_->progress_token},
                     {"progress", Seconds(now - running_->started)},
                     {"message", "seconds of work"}};
  if (const std::uint64_t expected = running_->call.expected_ms; expected > 0) {
    parameters["total"] = Seconds(std::chrono::milliseconds(expected));
  }
  Write({{"jsonrpc", "2.0"}, {"method", "notifications/progress"}, {"params", parameters}});
}

bool Conversation::IsBusy() {
  const std::lock_guard lock(mutex_);
  return running_ != nullptr || !waiting_.empty();
}

bool Conversation::IsHeard() const {
  pollfd output{out_, 0, 0};
  return ::poll(&output, 1, 0) == 0 || (output.revents & (POLLERR | POLLHUP)) == 0;
}

void Conversation::Write(const json& message) {
  const std::string text = OneLine(message) + '\n';
  const std::lock_guard lock(writing_);
  std::string_view rest = text;
  while (!rest.empty() && !is_broken_) {
    // A pipe that has room takes as much as this without making anybody wait.
    const ssize_t put =
        AwaitRoom() ? ::write(out_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF)) : 0;
    if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
    is_broken_ = put == 0 || (put < 0 && errno != EINTR && errno != EAGAIN);
  }
}

// Until the client reads. False when a signal asks to end before it does.
bool Conversation::AwaitRoom() const {
  while (true) {
    std::array<pollfd, 2> events{pollfd{out_, POLLOUT, 0},
                                 pollfd{signals_.descriptor(), POLLIN, 0}};
    if (::poll(events.data(), events.size(), -1) < 0 && errno != EINTR) return false;
    if (events[0].revents != 0) return true;
    if (events[1].revents != 0) return false;
  }
}

}  // namespace sonde::cli::mcp
