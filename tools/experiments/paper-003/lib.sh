# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# What the figures of T. Hlavacek, "Benchmarking of authoritative DNS servers and DNSSEC impact assessment"
# (DNS-OARC, 2015) have in common. A figure's file sources this one, calls begin "$@", then dataset and curve for
# each curve, and then table.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(realpath -m "${DNSGAUGE_BIN:-$here/../../../build/bin}")

usage() {
    cat <<TEXT
usage: $0 --directory DIR [--site FILE]
  --directory DIR  where data sets, journals and results go; a sweep that is there goes on where it ended, and one
                   that is complete is not made again
  --site FILE      interface, rates and servers of your place (default: site.sh beside this file)
Exit status: 0 the figure's results are there; 2 something is wrong, one line says what; 3 interrupted, or a trial
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
    for program in dnsgauge dnsgauge-zone; do
        [[ -x $bin/$program ]] || die "no $bin/$program: build it first (tools/build)"
    done
    scaled_down=
    on_tester=()
    options=()
    names=1000000
    servers=(bind9 nsd knot yadifa pdns)
    dnssec_server=knot
    # shellcheck source=/dev/null
    . "$site"
    mkdir -p "$directory"
    directory=$(realpath "$directory")
}

# dataset NAME [options of "dnsgauge-zone dataset"]: makes the data set, unless it is there.
dataset() {
    local name=$1
    shift
    [[ ! -e $directory/$name/queries.txt ]] || return 0
    rm -rf "${directory:?}/$name"
    "$bin/dnsgauge-zone" dataset "$@" --out "$directory/$name" || exit 2
}

# curve NAME SERVER DATASET: sweeps the server on that data set, as NAME.
curve() {
    local file=$directory/$1 resume=() status=0
    [[ ! -e $file.jsonl ]] || resume=(--resume)
    serve "$2" "$directory/$3" || die "$2 does not serve $directory/$3"
    "${on_tester[@]}" "$bin/dnsgauge" sweep "${options[@]}" --queries "$directory/$3/queries.txt" \
        --journal "$file.jsonl" --json "$file.json" "${resume[@]}" >"$file.txt" || status=$?
    unserve "$2"
    ((status == 0)) || exit $status
}

# table TITLE NAME...: prints a row for each step of these curves, and keeps it in the directory.
table() {
    local title=$1
    shift
    {
        echo "$title"
        [[ -z $scaled_down ]] || echo "Scaled down, not the conditions of the publication: $scaled_down"
        echo
        /usr/bin/python3 "$here/curves.py" "$directory" "$@"
    } | tee "$directory/${0##*/}.txt"
}
