#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# install_test.sh BUILD SOURCE: what "cmake --install" installs is whole, and names neither the source tree
# nor the build's folder.
set -eu
build=$1 source=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
DESTDIR=$root cmake --install "$build" >"$root.log" || { cat "$root.log"; exit 1; }
rm "$root.log"
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

installed() { find "$root" -path "*/$1" | grep -q . || fail "no $1"; }

for program in dnsgauge dnsgauge-queries dnsgauge-zone dnsgauge-lab dnsgauge-demo dnsgauge-report fakedns; do
    installed "bin/$program"
    installed "man1/$program.1"
done
for command in $("$build/bin/dnsgauge" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [[ $command == help ]] || installed "man1/dnsgauge-$command.1"
done
for program in dnsgauge dnsgauge-queries dnsgauge-zone fakedns; do
    installed "bash-completion/completions/$program"
    installed "zsh/site-functions/_$program"
    installed "vendor_completions.d/$program.fish"
done
installed system/fakedns.service
installed etc/fakedns.toml
installed share/dnsgauge/progress.sh
installed man5/dnsgauge-results.5

named=$(grep -rlF -e "$source/" -e "$build/" "$root") && fail "the source tree is named by:" "$named"

# Scripts have the programs' version.
version=$("$build/bin/dnsgauge" --version)
for script in dnsgauge-lab dnsgauge-demo dnsgauge-report; do
    said=$("$(find "$root" -path "*/bin/$script")" --version) || fail "$script --version"
    [[ $version == *" ${said#* }"* ]] || fail "$script --version: $said"
done

# The unit starts the program that is there, with the configuration that is there.
read -r program _ configuration < <(sed -n 's/^ExecStart=//p' "$(find "$root" -name fakedns.service -path '*/system/*')")
[[ -x $root$program ]] || fail "the unit starts $program"
[[ -e $root$configuration ]] || fail "the unit names $configuration"

echo "$(find "$root" -type f | wc -l) files installed"
exit $((failures > 0))
