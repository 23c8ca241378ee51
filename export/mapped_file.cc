// MappedFile: the pages of a file, which may become shorter while they are read.

#include "export/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

namespace sonde {
namespace {

// The pages of one mapping, for the handler. Free while `begin` is 0.
struct Pages {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<int> protection{PROT_READ};
  std::atomic<bool> has_holes{false};
};

constexpr std::size_t kMostMappings = 1024;
constexpr std::uintptr_t kBeingFilled = 1;
std::array<Pages, kMostMappings> g_mappings;
struct sigaction g_previous;
std::uintptr_t g_page_bytes = 0;

// Puts zeros where the file ended, from the page at `address` on.
bool FillHoles(std::uintptr_t address) noexcept {
  for (Pages& pages : g_mappings) {
    const std::uintptr_t end = pages.end.load(std::memory_order_acquire);
    const std::uintptr_t begin = pages.begin.load(std::memory_order_acquire);
    if (begin <= kBeingFilled || address < begin || address >= end) continue;
    const std::uintptr_t first = address & ~(g_page_bytes - 1);
    void* const filled = ::mmap(reinterpret_cast<void*>(first), end - first,
                                pages.protection.load(std::memory_order_relaxed),
                                MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (filled == MAP_FAILED) return false;
    pages.has_holes.store(true, std::memory_order_release);
    return true;
  }
  return false;
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const bool is_ours =
      info->si_code == BUS_ADRERR && FillHoles(reinterpret_cast<std::uintptr_t>(info->si_addr));
  errno = saved_errno;
  if (is_ours) return;
  if ((g_previous.sa_flags & SA_SIGINFO) != 0) {
    g_previous.sa_sigaction(signal, info, context);
  } else if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) {
    g_previous.sa_handler(signal);
  } else {
    // The access is repeated on return, and ends the process as it would have without us. One
    // that was sent by kill has to be sent anew.
    ::sigaction(signal, &g_previous, nullptr);
    if (info->si_code <= 0) ::raise(signal);
  }
}

bool InstallHandler() {
  static const bool is_installed = [] {
    g_page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    if (::sigaction(SIGBUS, nullptr, &g_previous) != 0) return false;
    struct sigaction action {};
    action.sa_sigaction = OnBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, nullptr) == 0;
  }();
  return is_installed;
}

std::size_t TakeSlot(std::uintptr_t begin, std::size_t bytes, int protection) {
  std::size_t slot = 0;
  for (; slot < kMostMappings; ++slot) {
    std::uintptr_t free = 0;
    if (g_mappings[slot].begin.compare_exchange_strong(free, kBeingFilled)) break;
  }
  if (slot == kMostMappings) return slot;
  g_mappings[slot].has_holes.store(false, std::memory_order_relaxed);
  g_mappings[slot].protection.store(protection, std::memory_order_relaxed);
  g_mappings[slot].end.store(begin + bytes, std::memory_order_release);
  g_mappings[slot].begin.store(begin, std::memory_order_release);
  return slot;
}

}  // namespace

std::optional<MappedFile> MappedFile::Map(int descriptor, std::size_t size, Use use) {
  if (!InstallHandler()) return std::nullopt;
  const int protection = use == Use::kWriteable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const address =
      ::mmap(nullptr, size, protection, MAP_PRIVATE | MAP_NORESERVE, descriptor, 0);
  if (address == MAP_FAILED) return std::nullopt;
  const std::size_t whole_pages = (size + g_page_bytes - 1) & ~(g_page_bytes - 1);
  const std::size_t slot =
      TakeSlot(reinterpret_cast<std::uintptr_t>(address), whole_pages, protection);
  if (slot == kMostMappings) {
    ::munmap(address, size);
    return std::nullopt;
  }
  if (use == Use::kInOrder) ::madvise(address, size, MADV_SEQUENTIAL);
  return MappedFile(address, size, slot);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : address_(std::exchange(other.address_, nullptr)), size_(other.size_), slot_(other.slot_) {}

MappedFile::~MappedFile() {
  if (address_ == nullptr) return;
  g_mappings[slot_].begin.store(0, std::memory_order_release);
  ::munmap(address_, size_);
}

bool MappedFile::is_whole() const noexcept {
  return !g_mappings[slot_].has_holes.load(std::memory_order_acquire);
}

}  // namespace sonde
