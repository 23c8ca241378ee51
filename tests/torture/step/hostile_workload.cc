// RunHostile: see workload.h.

#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sstream>
#include <stdexcept>
#include <string>

#include "tests/torture/step/workload.h"

namespace sonde::step {
namespace {

volatile long sink;
long (*plugin_entry)(long);

[[gnu::noinline]] long Throw(long x) {
  if (x % 3 == 0) throw std::runtime_error("odd " + std::to_string(x));
  if (x % 3 == 1) throw static_cast<int>(x);
  return x;
}

[[gnu::noinline]] long Realign(long x, long n) {
  alignas(64) volatile char aligned[256];
  auto* variable = static_cast<char*>(alloca(static_cast<std::size_t>(n) * 16 + 32));
  variable[0] = static_cast<char>(x);
  aligned[x & 255] = variable[0];
  return aligned[x & 255] + n;
}

[[gnu::noinline]] long UseLibrary(long x) {
  int numbers[30];
  for (int i = 0; i < 30; ++i) numbers[i] = static_cast<int>((x * 7919 * i) % 101);
  qsort(numbers, 30, sizeof(int), [](const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  });
  char text[200];
  std::snprintf(text, sizeof(text), "%ld %s %.3f", x, "abc", static_cast<double>(x) * 1.5);
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  std::ostringstream out;
  out << text << x << ' ' << 3.25;
  char* end = nullptr;
  const double parsed = std::strtod(text, &end);
  char* copy = strdup(text);
  std::memmove(text, copy, std::strlen(copy));
  std::free(copy);
  return numbers[3] + static_cast<long>(out.str().size()) + static_cast<long>(parsed) +
         now.tv_nsec % 3;
}

[[gnu::noinline]] long Leaf(long x) {
  long result = UseLibrary(x) + Realign(x, x % 9);
  try {
    result += Throw(x);
  } catch (const std::exception& error) {
    result += static_cast<long>(std::strlen(error.what()));
  } catch (int number) {
    result += number;
  }
  if (plugin_entry != nullptr) result += plugin_entry(x);
  return result + sink;
}

struct Node {
  virtual ~Node() = default;
  virtual long Go(int depth, long x) = 0;
  Node* next = nullptr;
};
struct WithArray : Node {
  [[gnu::noinline]] long Go(int depth, long x) override {
    const long values[4] = {x, x + 1, x + 2, x + 3};
    if (depth <= 0) return Leaf(x);
    const long result = next->Go(depth - 1, x ^ values[depth & 3]);
    sink = result;
    return result + values[1];
  }
};
struct WithString : Node {
  [[gnu::noinline]] long Go(int depth, long x) override {
    const std::string text(std::to_string(x));
    if (depth <= 0) return Leaf(x);
    const long result = next->Go(depth - 1, x + static_cast<long>(text.size()));
    sink = result;
    return result * 3 + text[0];
  }
};
struct WithAlignment : Node {
  [[gnu::noinline]] long Go(int depth, long x) override {
    alignas(64) volatile char aligned[128];
    aligned[depth & 127] = static_cast<char>(x);
    if (depth <= 0) return Leaf(x);
    try {
      const long result = next->Go(depth - 1, x - 1);
      sink = result + aligned[depth & 127];
      return result;
    } catch (int) {
      return 0;
    }
  }
};

ucontext_t main_context;
ucontext_t fiber_context;
char fiber_stack[65536];

void Fiber() {
  sink = sink + UseLibrary(4);
  swapcontext(&fiber_context, &main_context);
  sink = sink + 1;
  swapcontext(&fiber_context, &main_context);
}

jmp_buf landing;
[[gnu::noinline]] void Jump(long depth) {
  if (depth < 0) return;
  if (depth == 0) longjmp(landing, 1);
  Jump(depth - 1);
  sink = sink + 1;
}

// Each of the three calls the next.
struct Circle {
  Circle() {
    array.next = &string;
    string.next = &alignment;
    alignment.next = &array;
  }
  WithArray array;
  WithString string;
  WithAlignment alignment;
};

// The first exception of a process fills caches of the loader.
void ThrowOutside() {
  try {
    Throw(3);
  } catch (const std::exception&) {
  }
}

}  // namespace

long RunDeep() {
  constexpr int kDepth = 200;
  Circle circle;
  ThrowOutside();
  TraceOn();
  sink = sink + circle.array.Go(kDepth, 33) + circle.string.Go(kDepth, 34);
  TraceOff();
  return sink;
}

long RunHostile(const char* plugins) {
  Circle circle;
  ThrowOutside();
  for (int round = 0; round < 3; ++round) {
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = fiber_stack;
    fiber_context.uc_stack.ss_size = sizeof(fiber_stack);
    fiber_context.uc_link = &main_context;
    makecontext(&fiber_context, Fiber, 0);
    const std::string path =
        std::string(plugins) + (round % 2 != 0 ? "/libstep_plugin_b.so" : "/libstep_plugin_a.so");

    TraceOn();
    void* plugin = dlopen(path.c_str(), round == 2 ? RTLD_LAZY : RTLD_NOW);
    plugin_entry = reinterpret_cast<long (*)(long)>(dlsym(plugin, "PluginEntry"));
    sink = sink + circle.array.Go(6 + round, 31 + round * 2);
    sink = sink + circle.string.Go(3, 10 + round);
    if (setjmp(landing) == 0) Jump(3);
    swapcontext(&main_context, &fiber_context);
    plugin_entry = nullptr;
    dlclose(plugin);
    TraceOff();
  }
  return sink;
}

}  // namespace sonde::step
