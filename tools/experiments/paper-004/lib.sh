# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# What the figures of P. Spacek, "Comparative Resolver Performance Results of BIND Versions" (ISC, 2021) have in
# common. A figure's file sources this one, calls begin "$@", then run for each curve, and then compare.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(realpath -m "${DNSGAUGE_BIN:-$here/../../../build/bin}")

usage() {
    cat <<TEXT
usage: $0 --directory DIR [--site FILE]
  --directory DIR  where journals and results go; a replay that is there goes on where it ended, and one that is
                   complete is not made again: the figures share their replays
  --site FILE      interface, captures and resolvers of your place (default: site.sh beside this file)
Exit status: 0 the figure's results are there; 2 something is wrong, one line says what; 3 interrupted, or a run
was invalid: the same command goes on.
TEXT
}

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# begin [options]: reads the command line and the site.
begin() {
    local site=$here/site.sh
    directory=
    while (($#)); do
        case $1 in
        -h | --help) usage && exit ;;
        --directory | --site)
            [[ -n ${2-} ]] || die "$1 has no value"
            [[ $1 == --site ]] && site=$2 || directory=$2
            shift
            ;;
        *) die "'$1' is no option: see --help" ;;
        esac
        shift
    done
    [[ -n $directory ]] || die "--directory is required: see --help"
    [[ -r $site ]] || die "cannot read the site $site"
    [[ -x $bin/dnsgauge ]] || die "no $bin/dnsgauge: build it first (tools/build)"
    declare -gA restart=() label=()
    scaled_down=
    on_tester=()
    options=()
    # shellcheck source=/dev/null
    . "$site"
    mkdir -p "$directory"
}

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

# compare TITLE NAME...: prints the replays side by side, and keeps the table in the directory.
compare() {
    local title=$1 name files=()
    shift
    for name in "$@"; do
        files+=("$directory/$name.json")
    done
    {
        echo "$title"
        [[ -z $scaled_down ]] || echo "Scaled down, not the conditions of the publication: $scaled_down"
        for name in "${!label[@]}"; do
            echo "$name: ${label[$name]}"
        done | sort
        echo
        "$bin/dnsgauge" compare "${files[@]}"
    } | tee "$directory/${0##*/}.txt"
}
