// Heap profiles of the running process, where it allocates through tcmalloc.

#include "sonde/heap.h"

#include <dlfcn.h>
#include <gperftools/malloc_extension.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sampler/mapped_names.h"
#include "sonde/heap_text.h"

namespace sonde {
namespace {

constexpr const char* kInstance = "_ZN15MallocExtension8instanceEv";
constexpr const char* kSampleRate = "tcmalloc.sampling_period_bytes";

// The extension of the allocator in use, or null without tcmalloc. It is looked up by name, so
// that a program without tcmalloc links and runs.
MallocExtension* Extension() {
  using Instance = MallocExtension* (*)();
  static const auto instance = reinterpret_cast<Instance>(dlsym(RTLD_DEFAULT, kInstance));
  return instance == nullptr ? nullptr : instance();
}

Error NotAvailable(const char* message) {
  return {.code = ErrorCode::kUnsupported, .message = message};
}

}  // namespace

Result<HeapProfile> ReadTcmallocHeap(HeapKind kind) {
  MallocExtension* const extension = Extension();
  if (extension == nullptr) {
    return NotAvailable("heap profiles are not available: the process does not run on tcmalloc");
  }
  std::string text;
  if (kind == HeapKind::kGrowth) {
    extension->GetHeapGrowthStacks(&text);
  } else {
    std::size_t rate = 0;
    if (extension->GetNumericProperty(kSampleRate, &rate) && rate == 0) {
      return NotAvailable(
          "heap profiles are not available: tcmalloc does not sample (set "
          "TCMALLOC_SAMPLE_PARAMETER=524288 before the start)");
    }
    extension->GetHeapSample(&text);
  }
  Result<Profile> profile = ReadHeapText(text);
  if (!profile.ok()) return profile.error();
  const std::int64_t objects = std::max<std::int64_t>(profile.value().Total(0), 0);
  std::vector<ValueType> types(profile.value().sample_types().begin(),
                               profile.value().sample_types().end());
  for (ValueType& type : types) {
    if (kind == HeapKind::kInUse) type.type = "inuse_" + type.type;
  }
  return HeapProfile{NameMappedFunctions(profile.value(), std::move(types)),
                     static_cast<std::uint64_t>(objects), std::move(text)};
}

}  // namespace sonde
