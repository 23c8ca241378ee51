// Built-in rules: the families of work that hot functions usually belong to, by real names.

#include "evidence/classification_rules.h"

namespace sonde {
namespace {

// A function of libc, under the names that its builds and tests of it carry.
constexpr const char* kLibcPrefix = "^(?:__GI_)?(?:__libc_|__|_)?";

std::string Libc(const std::string& names) {
  return kLibcPrefix + ("(?:" + names + ")") + "(?:64)?(?:_nocancel)?$";
}

ClassificationRule Allocation() {
  return {.id = "generic-allocation-hotspot",
          .symbol_patterns =
              {Libc("malloc|calloc|realloc|reallocarray|free|cfree|memalign|posix_memalign|"
                    "aligned_alloc|valloc|pvalloc"),
               "::(?:malloc|calloc|realloc|free)$", "^_?int_(?:malloc|free|realloc|memalign)",
               "^(?:malloc_consolidate|unlink_chunk|sysmalloc|systrim|tcache_\\w+|arena_get2|"
               "alloc_perturb|checked_request2size)$",
               "^operator (?:new|delete)\\b",
               "^tc_(?:malloc|free|calloc|realloc|new|delete|memalign)\\w*$",
               "^tcmalloc::", "\\(anonymous namespace\\)::do_(?:malloc|free)", "^_?(?:rjem_)?je_",
               "^(?:arena_(?:malloc|dalloc|cache_bin|slab)|edata_|extent_|"
               "large_(?:malloc|dalloc))\\w*$",
               "^_?mi_(?:malloc|free|heap|page|segment|zalloc|calloc|realloc)\\w*$",
               "^__rust_(?:alloc|dealloc|realloc|alloc_zeroed)$",
               "^runtime\\.(?:mallocgc|newobject|makeslice|growslice|makemap\\w*)$",
               "^__gnu_cxx::new_allocator<.*>::(?:de)?allocate",
               "^std::allocator(?:_traits)?<.*>::(?:de)?allocate"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "memory-allocation",
          .observation = "{symbol} allocates or frees memory and is hot",
          .limitations = {"samples of CPU time hold no counts, sizes or lifetimes of allocations"},
          .missing_evidence = {"number and sizes of allocations by call path"},
          .next_steps = {"look at the dominant paths into it and measure sizes and counts there"},
          .forbidden_conclusions = {"that the allocator is the root cause"}};
}

ClassificationRule Copy() {
  return {.id = "generic-memory-copy-hotspot",
          .symbol_patterns =
              {"^_*(?:GI_+)?mem(?:cpy|move|pcpy|mpcpy)(?:_chk)?(?:_(?:avx|sse|ssse|erms|evex|"
               "generic|unaligned|ifunc)\\w*)?$",
               "^(?:_?copy_(?:to|from)_(?:user|iter)|copy_user_\\w+|rep_movs_alternative|"
               "copy_page\\w*|copyout|copyin|skb_copy_\\w+|simple_copy_to_iter)$",
               "^std::(?:copy|copy_n|copy_backward|move_backward|__copy_move\\w*)\\b",
               "::mem(?:cpy|move)$", "^runtime\\.memmove$", "^str(?:cpy|ncpy|cat|ncat)"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "memory-copy",
          .observation = "{symbol} copies memory and is hot",
          .limitations = {"samples do not say how many bytes were copied, nor who owns them"},
          .missing_evidence = {"sizes and number of copies by call path"},
          .next_steps = {"find the callers that copy most and whether a view would do"},
          .forbidden_conclusions = {"that removing copies is safe", "that it would be enough"}};
}

ClassificationRule Memset() {
  return {
      .id = "generic-memory-fill-hotspot",
      .symbol_patterns = {"^_*(?:GI_+)?(?:w?memset|bzero)(?:_chk)?(?:_(?:avx|sse|erms|evex|"
                          "generic|unaligned)\\w*)?$",
                          "^clear_page(?:_(?:erms|rep|orig))?$", "^clear_(?:huge|user)_\\w+$",
                          "^runtime\\.memclr\\w*$", "^std::(?:fill|fill_n|__fill\\w*)\\b"},
      .self_percent_gte = 1,
      .inclusive_percent_gte = 1,
      .category = "memory-fill",
      .observation = "{symbol} fills memory and is hot",
      .limitations = {"samples do not say how many bytes were filled, nor whether they are read"},
      .missing_evidence = {"sizes of the regions that are filled"},
      .next_steps = {"see which buffers are cleared and whether they are overwritten anyway"},
      .forbidden_conclusions = {"that clearing may be left out"}};
}

ClassificationRule SystemCall() {
  return {.id = "generic-system-call-hotspot",
          .symbol_patterns =
              {Libc("read|write|readv|writev|pread|pwrite|preadv2?|pwritev2?|open|openat|close|"
                    "stat|fstat|lstat|fstatat|lseek|fsync|fdatasync|ioctl|fcntl|send|sendto|"
                    "sendmsg|sendmmsg|sendfile|recv|recvfrom|recvmsg|recvmmsg|accept4?|connect|"
                    "poll|ppoll|select|pselect|epoll_wait|epoll_pwait2?|epoll_ctl|mmap|munmap|"
                    "mprotect|madvise|brk|sbrk|nanosleep|clock_nanosleep|getdents|io_uring_enter"),
               "::(?:read|write|send|recv|sendmsg|recvmsg|epoll_wait|poll|fsync)$", "^syscall$",
               "^(?:__x64_sys_|__ia32_sys_|__arm64_sys_|__se_sys_|__do_sys_|ksys_)\\w+$",
               "^(?:do_syscall_64|x64_sys_call|el0_svc\\w*|entry_SYSCALL_64\\w*|"
               "syscall_return_via_sysret|syscall_exit_to_user_mode\\w*)$",
               "^(?:vfs_(?:read|write|fsync)\\w*|do_sys_poll|do_epoll_wait|ep_poll)$",
               "^(?:internal/runtime/)?syscall\\.(?:Syscall6?|RawSyscall6?|read|write)$"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "system-call",
          .observation = "{symbol} crosses into the kernel and is hot",
          .limitations = {"samples of CPU time do not show time spent blocked, nor which device"},
          .missing_evidence = {"time blocked, by call path", "sizes and results of the calls",
                               "metrics of the device or peer"},
          .next_steps = {"count the calls and their sizes; look at off-CPU time for the same load"},
          .forbidden_conclusions = {"that the disk or the network is slow"}};
}

ClassificationRule Synchronisation() {
  return {.id = "linux-synchronization-hotspot",
          .scope = "linux",
          .symbol_patterns =
              {"^_*(?:GI_+)?pthread_(?:mutex|rwlock|cond|spin|barrier)_", "^_*lll_(?:un)?lock",
               "^_*(?:do_)?futex(?:_\\w+)?$", "^_*futex_(?:abstimed_)?wait",
               "^_raw_(?:spin|read|write)_(?:un)?lock", "^(?:native|pv)_queued_spin_lock_slowpath",
               "^queued_(?:read|write)_lock_slowpath$",
               "^(?:__?mutex_(?:un)?lock|mutex_(?:un)?lock|mutex_spin_on_owner)",
               "^(?:rwsem_\\w+|down_(?:read|write)\\w*|up_(?:read|write)|osq_(?:un)?lock)$",
               "^std::(?:recursive_)?(?:shared_)?(?:timed_)?mutex\\b", "^std::condition_variable",
               "^std::(?:lock_guard|unique_lock|scoped_lock|shared_lock)\\b",
               "^absl::(?:lts_\\w+::)?(?:Mutex|CondVar|base_internal::SpinLock)",
               "^parking_lot(?:_core)?::", "^std::sys::.*::(?:mutex|condvar|futex)",
               "^runtime\\.(?:lock2?|unlock2?|semacquire\\w*|semrelease\\w*|futex\\w*)$",
               "^sync\\.\\(\\*(?:RW)?Mutex\\)\\.", "::SpinLock::"},
          .inclusive_percent_gte = 2,
          .category = "synchronization",
          .observation = "{symbol} takes or releases a lock, or waits, and is on hot paths",
          .limitations = {"samples of CPU time show neither waiting time nor who holds the lock"},
          .missing_evidence = {"contention by lock", "owner while others wait", "off-CPU duration"},
          .next_steps = {"record lock, scheduling or off-CPU data for the same load"},
          .forbidden_conclusions = {"that contention is the root cause"}};
}

ClassificationRule PageFaults() {
  return {.id = "linux-page-fault-hotspot",
          .scope = "linux",
          .symbol_patterns =
              {"^(?:asm_)?exc_page_fault$", "^(?:__)?do_page_fault$",
               "^(?:do_user_addr_fault|handle_mm_fault|__handle_mm_fault|handle_pte_fault|"
               "do_anonymous_page|do_fault\\w*|do_wp_page|do_cow_fault|do_swap_page|"
               "wp_page_copy|do_huge_pmd_anonymous_page|filemap_map_pages|filemap_fault|"
               "alloc_anon_folio|lru_add_fn|mem_cgroup_charge\\w*|page_fault)$"},
          .inclusive_percent_gte = 1,
          .category = "page-faults",
          .observation = "{symbol} serves page faults and is hot",
          .limitations = {"samples do not count faults, nor tell first touch from swapping"},
          .missing_evidence = {"minor and major faults by call path", "resident size over time"},
          .next_steps = {"count page faults; see which paths touch fresh memory"},
          .forbidden_conclusions = {"that memory is short"}};
}

ClassificationRule Scheduling() {
  return {.id = "linux-scheduling-hotspot",
          .scope = "linux",
          .symbol_patterns =
              {"^(?:__)?schedule(?:_(?:hr)?timeout\\w*|_preempt_disabled|_idle|_user)?$",
               "^(?:finish_task_switch\\w*|__switch_to\\w*|"
               "pick_next_task\\w*|try_to_wake_up|ttwu_\\w+|wake_up_\\w+|select_task_rq\\w*|"
               "enqueue_(?:task|entity)\\w*|dequeue_(?:task|entity)\\w*|update_(?:curr|load_avg)|"
               "(?:newidle|load)_balance|sched_(?:yield|balance\\w*|ttwu_pending)|do_sched_yield|"
               "prepare_task_switch|context_switch)$",
               "^(?:__)?sched_yield$",
               "^runtime\\.(?:schedule|findRunnable|park_m|mcall|gopark|goready|wakep)$"},
          .inclusive_percent_gte = 1,
          .category = "scheduling",
          .observation = "{symbol} switches or wakes threads and is hot",
          .limitations = {"samples of CPU time do not count switches, nor say why they happen"},
          .missing_evidence = {"voluntary and involuntary switches", "length of the run queue"},
          .next_steps = {"record scheduling events for the same load"},
          .forbidden_conclusions = {"that there are too many threads"}};
}

ClassificationRule Kernel() {
  return {.id = "linux-kernel-hotspot",
          .scope = "linux",
          .symbol_patterns = {"."},
          .dso_patterns = {"^\\[(?:guest\\.)?kernel", "(?:^|/)vmlinux(?:[-.][^/]*)?$",
                           "\\.ko(?:\\.(?:gz|xz|zst))?$"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "kernel",
          .observation = "{symbol} runs in the kernel and is hot",
          .limitations = {"being in the kernel says nothing about the cause"},
          .missing_evidence = {"which system calls, faults or interrupts lead there"},
          .next_steps = {"follow the paths up to the system call or fault that asked for the work"},
          .forbidden_conclusions = {"that the kernel is at fault"}};
}

ClassificationRule CppRuntime() {
  return {.id = "cpp-runtime-hotspot",
          .scope = "cpp",
          .symbol_patterns = {"^__cxa_", "^_Unwind_", "^uw_(?:frame|update|init|install)\\w*$",
                              "^__gxx_personality", "^__dynamic_cast$",
                              "^__cxxabiv1::", "^_dl_(?:runtime_resolve|fixup|lookup)\\w*$",
                              "^do_lookup_x$", "^std::locale\\b", "^std::(?:use|has)_facet",
                              "^std::(?:basic_)?(?:i|o|io)?(?:f|string)?stream\\b",
                              "^std::(?:basic_)?(?:stream|string|file)buf\\b",
                              "^std::__ostream_insert", "^std::num_(?:get|put)\\b"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "runtime",
          .observation = "{symbol} belongs to the C++ run-time and is hot",
          .limitations = {"a name does not say how often it ran"},
          .missing_evidence = {"number of throws, casts or stream operations by call path"},
          .next_steps = {"see which paths lead there and whether they are meant to be common"},
          .forbidden_conclusions = {"that the run-time is the root cause"}};
}

ClassificationRule Hashing() {
  return {.id = "generic-hashing-hotspot",
          .symbol_patterns = {"^XXH(?:32|64|3|128)?_", "^std::_Hash_bytes$",
                              "(?i)(?:^|::|_)(?:crc32c?|adler32|murmur(?:hash)?\\d*\\w*|"
                              "city_?hash\\d*|farm_?hash\\d*|sip_?hash\\w*|fnv1a?\\w*|wyhash|"
                              "highway_?hash|jhash\\d*|komihash|rapidhash)(?:_|$|\\(|<|::)",
                              "^crc32(?:c|_z|_le|_be|_big|_little|_combine)?\\w*$",
                              "^std::(?:__detail::_Hash_code_base|hash)<"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "hashing",
          .observation = "{symbol} computes hashes or checksums and is hot",
          .limitations = {"samples do not say how many bytes were hashed, nor how often the same"},
          .missing_evidence = {"number and sizes of the hashed inputs"},
          .next_steps = {"see whether equal inputs are hashed again and again"},
          .forbidden_conclusions = {"that another hash function is safe to use"}};
}

ClassificationRule Compression() {
  return {
      .id = "generic-compression-hotspot",
      .symbol_patterns = {"^(?:deflate|inflate)(?:_\\w+)?$",
                          "^(?:longest_match\\w*|compress_block|"
                          "fill_window|build_tree|gen_bitlen|_tr_\\w+|insert_string\\w*|compress2?|"
                          "uncompress2?|slide_hash\\w*)$",
                          "^_?(?:ZSTD|HUF|FSE|HIST|COVER)v?\\d*_", "^LZ4(?:F|HC)?_", "^Brotli",
                          "^snappy::", "^lzma_", "^BZ2_", "^(?:lzo1x|lz77|isal)_", "^zng_"},
      .self_percent_gte = 1,
      .inclusive_percent_gte = 1,
      .category = "compression",
      .observation = "{symbol} compresses or decompresses and is hot",
      .limitations = {"samples do not say how many bytes, at which level, with which ratio"},
      .missing_evidence = {"bytes in and out, level, and who asked for it"},
      .next_steps = {"measure ratio and time at other levels on the same data"},
      .forbidden_conclusions = {"that a lower level is acceptable"}};
}

ClassificationRule Crypto() {
  return {.id = "generic-crypto-hotspot",
          .symbol_patterns =
              {"^(?:EVP|AES|RSA|ECDSA|EC|BN|SSL|TLS|HMAC|SHA\\d*|MD5|CRYPTO|ossl)_",
               "^(?:aes|aesni|vaes|gcm|ghash|bn|sha\\d+|ecp|rsaz|chacha20|ChaCha20|poly1305|"
               "Poly1305|x25519|ed25519|keccak|blake[23][bs]?)_?\\w*(?:block|mul|crypt|hash|ctr|"
               "order|transform|compress|sqr|update|init|key|avx|ni)\\w*$",
               "^(?:gnutls|nettle|_nettle|gcry|mbedtls|sodium|crypto_\\w+)_", "^CryptoPP::",
               "^(?:__)?(?:sha\\d+|md5)_(?:process|block|update|transform|init|final)\\w*$",
               "^ring::", "^crypto/"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "crypto",
          .observation = "{symbol} does cryptography and is hot",
          .limitations = {"samples do not say how many bytes or handshakes"},
          .missing_evidence = {"bytes encrypted, handshakes, algorithm and hardware support"},
          .next_steps = {"separate handshakes from bulk data; see whether sessions are reused"},
          .forbidden_conclusions = {"that a weaker algorithm is acceptable"}};
}

ClassificationRule Regex() {
  return {
      .id = "generic-regular-expression-hotspot",
      .symbol_patterns = {"^re2::", "^_?pcre2?_", "^(?:std|boost)::(?:__cxx11::)?(?:basic_)?regex",
                          "^std::__detail::_(?:Executor|NFA|Compiler|Scanner|BracketMatcher|"
                          "AnyMatcher|CharMatcher|State)\\b",
                          "^boost::re_detail", "^(?:onig|hs)_\\w+", "^regex(?:ec|comp)$",
                          "^re_(?:search|match|compile)_\\w+$", "^regex_automata::", "^regexp\\.",
                          "^sre_\\w+"},
      .self_percent_gte = 1,
      .inclusive_percent_gte = 1,
      .category = "regular-expressions",
      .observation = "{symbol} matches or compiles regular expressions and is hot",
      .limitations = {"samples do not say which expression, nor on how much text"},
      .missing_evidence = {"the expressions, how often each is compiled and run"},
      .next_steps = {"see whether expressions are compiled once, and which one is slow"},
      .forbidden_conclusions = {"that another engine gives the same matches"}};
}

ClassificationRule Parsing() {
  return {.id = "generic-parsing-hotspot",
          .symbol_patterns =
              {"^(?:simdjson|nlohmann|rapidjson|Json|jsoncons|glz|pugi|rapidxml|tinyxml2|YAML|"
               "toml|toml11|google::protobuf::(?:io::CodedInputStream|internal::TcParser))::",
               "^(?:yyjson|cJSON|yajl|jansson|json|xml|XML|yaml|toml|csv|jsmn)_\\w+",
               "^(?:xml|html)(?:Parse|SAX|Ctxt)\\w*", "^serde(?:_json)?::", "^encoding/json\\.",
               "^_*(?:GI_+)?_*strto(?:l|ul|ll|ull|d|f|ld|imax|umax)(?:_l)?(?:_internal)?$",
               "^std::from_chars", "^(?:_IO|__GI__IO|__)?v?[fs]?scanf(?:_internal)?$",
               "^__vf?scanf_internal$", "^std::sto(?:i|l|ul|ll|d|f)\\b", "^ato[ifl]$"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "parsing",
          .observation = "{symbol} parses text or messages and is hot",
          .limitations = {"samples do not say how much was parsed, nor how often the same"},
          .missing_evidence = {"number and sizes of the parsed documents"},
          .next_steps = {"see whether whole documents are parsed for a few fields"},
          .forbidden_conclusions = {"that the parser is the root cause"}};
}

ClassificationRule Interpreter() {
  return {.id = "generic-interpreter-hotspot",
          .symbol_patterns = {"^_?PyEval_",
                              "^_?Py(?:Object|Dict|List|Long|Unicode|Type|Function|"
                              "Vectorcall|Frame|Tuple)_\\w+",
                              "^v8::internal::", "^Builtins?_", "^(?:lua|luaV|luaD|luaH|lj)_\\w+",
                              "^(?:rb|vm)_(?:exec|call|eval)\\w*", "^zend_\\w+", "^execute_ex$",
                              "^Perl_\\w+",
                              "^(?:Interpreter|~?\\w*)"
                              "Interpreter::",
                              "^JavaCalls::", "^JSC::", "^JS_\\w+"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "interpreter",
          .observation = "{symbol} interprets a program and is hot",
          .limitations = {"native frames do not show which lines of the interpreted program ran"},
          .missing_evidence = {"a profile of the interpreted program itself"},
          .next_steps = {"record with the interpreter's own map of frames"},
          .forbidden_conclusions = {"that the interpreter is the root cause"}};
}

ClassificationRule GarbageCollection() {
  return {.id = "generic-garbage-collection-hotspot",
          .symbol_patterns =
              {"^runtime\\.(?:gc\\w+|scanobject|scanblock|greyobject|markroot\\w*|sweepone|"
               "bgsweep|bgscavenge|wbBuf\\w*|\\(\\*gcWork\\).*|\\(\\*mspan\\)\\.sweep)$",
               "^(?:G1|Parallel|PS|Serial|Z|Shenandoah)\\w*(?:GC|Collect|Mark|Scan|Evacuat|Sweep|"
               "Scavenge|Barrier)\\w*",
               "^GC_(?:mark|collect|push|sweep|reclaim)\\w*$", "^gc_(?:collect|mark|sweep)\\w*$",
               "^(?:_PyGC|PyGC|visit_(?:decref|reachable)|subtract_refs|deduce_unreachable)\\w*$",
               "^v8::internal::(?:Mark|Scaveng|Sweep|Heap::|Incremental|Concurrent|Evacuat)\\w*",
               "^mono_gc_\\w+|^sgen_\\w+", "^lua(?:C)_\\w+", "^rb_gc\\w*"},
          .self_percent_gte = 1,
          .inclusive_percent_gte = 1,
          .category = "garbage-collection",
          .observation = "{symbol} collects garbage and is hot",
          .limitations = {"samples do not show pauses, nor what is allocated"},
          .missing_evidence = {"allocation rate, live heap and pauses over time"},
          .next_steps = {"read the collector's own log for the same load; find who allocates"},
          .forbidden_conclusions = {"that the collector's settings are wrong"}};
}

}  // namespace

std::vector<ClassificationRule> BuiltInRuleList() {
  return {Allocation(),      Copy(),       Memset(),      SystemCall(),
          Synchronisation(), PageFaults(), Scheduling(),  Kernel(),
          CppRuntime(),      Hashing(),    Compression(), Crypto(),
          Regex(),           Parsing(),    Interpreter(), GarbageCollection()};
}

}  // namespace sonde
