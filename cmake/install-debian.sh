#!/usr/bin/env bash
# Installs the Debian 12 packages that sonde needs: install-debian.sh [build|test|tools]...
#
#   build   to configure and compile everything (the default)
#   test    to run every test as well
#   tools   sanitizers, fuzzers, formatters and the peers that benchmarks compare with
#
# Does nothing, also without root, when all packages are there already.
set -euo pipefail

build=(
  build-essential ca-certificates cmake git ninja-build pkg-config
  libboost1.81-dev libcli11-dev libdw-dev libelf-dev libiberty-dev liblzma-dev libncurses-dev libnghttp2-dev
  libre2-dev libsimdjson-dev libssl-dev libtomlplusplus-dev libyaml-cpp-dev
  libzstd-dev nlohmann-json3-dev zlib1g-dev
)
test=(
  binutils chromium curl file golang-go google-perftools jq libbenchmark-dev libgmock-dev
  libgoogle-perftools-dev libgtest-dev libprotobuf-dev libunwind8 linux-perf nodejs npm procps protobuf-compiler python3
  python3-grpc-tools python3-grpcio python3-jsonschema python3-protobuf strace tmux valgrind xz-utils zstd
)
tools=(clang clang-format clang-tidy libclang-rt-14-dev libunwind-dev nghttp2-client)

wanted=("${build[@]}")
for group in "$@"; do
  case "$group" in
    build) ;;
    test) wanted+=("${test[@]}") ;;
    tools) wanted+=("${tools[@]}") ;;
    *) echo "install-debian.sh: unknown group '$group' (build, test, tools)" >&2; exit 2 ;;
  esac
done

# A tool that is on the machine already, from wherever, need not be installed again.
declare -A command_of=([golang-go]=go [nodejs]=node [npm]=npm)
missing=()
for package in "${wanted[@]}"; do
  if [ -n "${command_of[$package]:-}" ] && command -v "${command_of[$package]}" >/dev/null; then
    continue
  fi
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "install-debian.sh: run as root, or install: ${missing[*]}" >&2
  exit 1
fi
echo "installing ${#missing[@]} Debian packages"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
