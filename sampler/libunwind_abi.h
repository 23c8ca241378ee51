// What libunwind's remote interface looks like to a program that finds the library at run time.
//
// Its header would bind the library at link time, and with it the host's exceptions. The layouts
// are those of libunwind-x86_64.so.8.

#ifndef SONDE_SAMPLER_LIBUNWIND_ABI_H_
#define SONDE_SAMPLER_LIBUNWIND_ABI_H_

#include <cstddef>
#include <cstdint>

namespace sonde::libunwind {

using Word = std::uint64_t;
using AddressSpace = void*;

enum : int {
  kSuccess = 0,
  kNoInfo = -10,
  kInvalid = -8,
  kBadRegister = -3,
  kReadOnlyRegister = -4
};
inline constexpr int kFormatRemoteTable = 2;
inline constexpr int kCacheGlobal = 1;
inline constexpr int kRegisterRip = 16;
inline constexpr int kLittleEndian = 1234;

struct Cursor {
  Word opaque[127];
};

struct ProcInfo {
  Word start_ip;
  Word end_ip;
  Word lsda;
  Word handler;
  Word gp;
  Word flags;
  int format;
  int unwind_info_size;
  void* unwind_info;
  Word room[8];  // In case a later version of the library has more to say.
};

// Describes the unwind table of a module.
struct DynInfo {
  DynInfo* next;
  DynInfo* previous;
  Word start_ip;
  Word end_ip;
  Word gp;
  std::int32_t format;
  std::int32_t padding;
  Word load_offset;
  Word name;
  Word segment_base;
  Word table_words;
  Word table;
};

struct Accessors {
  int (*find_proc_info)(AddressSpace, Word ip, ProcInfo*, int need_unwind_info, void*);
  void (*put_unwind_info)(AddressSpace, ProcInfo*, void*);
  int (*get_dyn_info_list_addr)(AddressSpace, Word*, void*);
  int (*access_mem)(AddressSpace, Word address, Word*, int write, void*);
  int (*access_reg)(AddressSpace, int reg, Word*, int write, void*);
  int (*access_fpreg)(AddressSpace, int reg, void*, int write, void*);
  int (*resume)(AddressSpace, Cursor*, void*);
  int (*get_proc_name)(AddressSpace, Word, char*, std::size_t, Word*, void*);
  void* room[4];
};

struct Functions {
  AddressSpace (*create_addr_space)(Accessors*, int byte_order);
  void (*destroy_addr_space)(AddressSpace);
  int (*set_caching_policy)(AddressSpace, int policy);
  void (*flush_cache)(AddressSpace, Word low, Word high);
  int (*init_remote)(Cursor*, AddressSpace, void*);
  int (*step)(Cursor*);
  int (*get_reg)(Cursor*, int reg, Word*);
  int (*search_unwind_table)(AddressSpace, Word ip, DynInfo*, ProcInfo*, int need_unwind_info,
                             void*);
};

}  // namespace sonde::libunwind

#endif  // SONDE_SAMPLER_LIBUNWIND_ABI_H_
