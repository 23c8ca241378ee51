// StackReader: see stack_reader.h. Runs in the handler.

#include "sampler/stack_reader.h"

#include "sampler/raw_syscall.h"

namespace sonde {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kFarPages = 256;  // Probed one by one up to here.
constexpr std::uint64_t kLargestFrame = std::uint64_t{64} << 20;
constexpr long kBadAddress = -14;  // -EFAULT

std::uint64_t PageOf(std::uint64_t address) { return address & ~(kPage - 1); }

}  // namespace

// The kernel copies the new mask in before it looks at `how`, which is none: EFAULT tells a
// page that cannot be read, EINVAL one that can, and nothing else happens.
bool IsReadable(std::uint64_t address) noexcept {
  return RawSyscall(SYS_rt_sigprocmask, -1, static_cast<long>(address & ~std::uint64_t{7}), 0, 8) !=
         kBadAddress;
}

bool ReadThroughKernel(std::uint64_t address, std::uint64_t size, void* to) noexcept {
  struct Piece {
    std::uint64_t address;
    std::uint64_t size;
  };
  const Piece local = {reinterpret_cast<std::uint64_t>(to), size};
  const Piece remote = {address, size};
  return RawSyscall(SYS_process_vm_readv, RawSyscall(SYS_getpid), reinterpret_cast<long>(&local), 1,
                    reinterpret_cast<long>(&remote), 1, 0) == static_cast<long>(size);
}

void StackReader::Enter(std::uint64_t stack_pointer) noexcept {
  const std::uint64_t page = PageOf(stack_pointer);
  if (page < range_.low && range_.low - page <= 64 * kPage) {
    // The stack grew below what was known. The pages between belong to it, if they are there.
    std::uint64_t low = range_.low;
    while (low > page && IsReadable(low - kPage)) low -= kPage;
    if (low == page) {
      range_.low = page;
      return;
    }
  }
  range_ = IsReadable(page) ? StackRange{page, page + kPage} : StackRange{};
}

bool StackReader::Extend(std::uint64_t address) noexcept {
  if (range_.high == 0 || address < range_.low) return false;
  const std::uint64_t page = PageOf(address);
  if (page - range_.high > kLargestFrame) return false;
  if (page - range_.high > kFarPages * kPage) {
    // A frame of megabytes: the walk goes on behind it and does not come back.
    if (!IsReadable(page)) return false;
    range_ = {page, page + kPage};
    return true;
  }
  while (range_.high <= page) {
    if (!IsReadable(range_.high)) return false;
    range_.high += kPage;
  }
  return true;
}

}  // namespace sonde
