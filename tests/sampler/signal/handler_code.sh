#!/usr/bin/env bash
# handler_code.sh OBJDUMP NM OBJECT...: fails when the handler's objects touch thread storage, call
# what is not theirs, or use 4 kB of stack or more.
set -euo pipefail
objdump=$1 nm=$2
shift 2

handler=()
for object in "$@"; do
  case "${object##*/}" in
    cfi_row.cc.o | dwarf_expression.cc.o | eh_frame.cc.o | module_registry.cc.o | sigprof.cc.o | \
      stack_reader.cc.o | unwind_rule.cc.o | unwinder.cc.o) handler+=("$object") ;;
  esac
done
[ "${#handler[@]}" -eq 8 ] || { echo "expected 8 objects of the handler, got ${#handler[@]}"; exit 1; }

failed=0
if "$objdump" --disassemble --no-show-raw-insn "${handler[@]}" | grep -n '%[fg]s:'; then
  echo "the handler touches thread storage"
  failed=1
fi

# _dl_find_object is not called but taken the address of, before the first signal.
defined=$("$nm" --defined-only --format=posix "${handler[@]}" | awk 'NF > 2 {print $1}' | sort -u)
foreign=$("$nm" --undefined-only --format=posix "${handler[@]}" | awk '$2 == "U" {print $1}' |
  sort -u | comm -23 - <(echo "$defined") | grep -vx -e _dl_find_object -e _GLOBAL_OFFSET_TABLE_ || true)
if [ -n "$foreign" ]; then
  echo "the handler calls what is not its own: $foreign"
  failed=1
fi
if "$objdump" --reloc "${handler[@]}" | grep 'PLT.*_dl_find_object'; then
  echo "the handler calls _dl_find_object through the PLT"
  failed=1
fi

# The deepest ways down, by the compiler's own figures and the return addresses.
usage=()
for object in "${handler[@]}"; do usage+=("${object%.o}.su"); done
frame() {
  cat "${usage[@]}" | awk -F'\t' -v name="$1" 'index($1, name) && $2 > most {most = $2} END {print most + 8}'
}
larger() { echo $(($1 > $2 ? $1 : $2)); }
if [ -e "${usage[0]}" ]; then
  tables=$(larger $(($(frame ComputeRow) + $(frame RowProgram::Execute))) \
    $(($(frame FindFde) + $(frame ParseFde))))
  short=$(($(frame ShortWalk::Run) + $(frame ShortWalk::ComputeRule) + tables))
  steps=$(larger $(($(frame FullWalk::StepToCaller) + $(frame EvaluateExpression))) "$tables")
  outside=$(($(frame StepOutsideModules) + $(frame StepByFramePointer) + $(frame ModuleRegistry::Find)))
  full=$(($(frame UnwindFully) + $(frame FullWalk::Step) + $(larger "$steps" "$outside")))
  total=$(($(frame OnSigprof) + $(frame /sigprof.cc:) + $(frame "StackUnwinder::Unwind(") + \
    $(larger "$short" "$full") + $(frame IsReadable)))
  echo "stack of the handler: $total bytes"
  [ "$total" -lt 4096 ] || { echo "that is too much for an alternate stack of 8 kB"; failed=1; }
fi
exit "$failed"
