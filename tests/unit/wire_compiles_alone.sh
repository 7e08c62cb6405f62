#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Usage: wire_compiles_alone.sh CLANG CC CXX MULTIARCH-FOLDER Checks that each header of bpf/wire
# compiles alone: for the BPF target, as C11 and as C++20.
set -eu

clang=$1 cc=$2 cxx=$3 multiarch=$4
bpf=$(cd "$(dirname "$0")/../../bpf" && pwd)
warnings="-Wall -Wextra -Wconversion -Wshadow -Werror"
failed=0
headers=0

# compiles COMMAND...: reads the program from standard input: one #include, and a declaration, because
# ISO C wants one and a header may hold macros alone.
compiles() {
    if ! printf '#include "wire/%s"\nextern int declared;\n' "$name" | "$@" -I"$bpf" -c -o /dev/null -; then
        echo "$name does not compile with: $*" >&2
        failed=1
    fi
}

for header in "$bpf"/wire/*.h; do
    name=$(basename "$header")
    headers=$((headers + 1))
    # shellcheck disable=SC2086
    {
        compiles "$clang" -target bpf -mcpu=v3 -std=gnu11 -O2 $warnings -isystem "$multiarch" -x c
        compiles "$cc" -std=c11 -pedantic $warnings -x c
        compiles "$cxx" -std=c++20 -pedantic $warnings -x c++
    }
done
if [ "$headers" -eq 0 ]; then
    echo "no headers found in $bpf/wire" >&2
    exit 1
fi
echo "$headers headers, three languages each"
exit "$failed"
