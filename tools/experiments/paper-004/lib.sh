# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# What the figures of P. Spacek, "Comparative Resolver Performance Results of BIND Versions" (ISC, 2021) have in
# common. A figure's file sources this one, calls begin "$@", then run for each curve, and then compare.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keeps="where journals and results go; a replay that is there goes on where it ended, and one that is
                   complete is not made again: the figures share their replays"
site_has="interface, captures and resolvers"
one_try=run
programs=(dnsgauge)
set_defaults() {
    declare -gA restart=() label=()
}
# shellcheck source-path=SCRIPTDIR source=../figures.sh
. "$here/../figures.sh"

# run NAME RESOLVER FACTOR: replays FACTOR captures at once to that resolver of the site, as NAME.
run() {
    local file=$directory/$1 resume=() said
    [[ -n ${restart[$2]-} ]] || die "the site has no restart[$2]: give it the command that starts that resolver anew"
    [[ ! -e $file.jsonl ]] || resume=(--resume)
    said=$("${on_tester[@]}" "$bin/dnsgauge" replay "${options[@]}" --load-factor "$3" \
        --before-trial "${restart[$2]}" --journal "$file.jsonl" --json "$file.json" \
        --intervals "$file-rate.csv" --curve "$file-latency.csv" "${resume[@]}") || exit
    printf '%s\n' "$said" >"$file.txt"
}

# compare TITLE NAME...: prints the replays side by side.
compare() {
    local title=$1
    shift
    tell "$title" side_by_side "$@"
}

side_by_side() {
    local name files=()
    for name in "$@"; do
        files+=("$directory/$name.json")
    done
    for name in "${!label[@]}"; do
        echo "$name: ${label[$name]}"
    done | sort
    echo
    "$bin/dnsgauge" compare "${files[@]}"
}
