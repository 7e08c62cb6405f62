# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts of papers' figures have in common. The lib.sh of a paper sources this file. It says in $keeps
# and $site_has what stands in the directory and in the site's file, and in $one_try what a trial of the figure is
# called. A figure's file calls begin "$@" first.

# The programs come from the build, or from PATH where these scripts are installed.
bin=${DNSGAUGE_BIN:-$here/../../../build/bin}
[[ -d $bin ]] || bin=$(dirname "$(command -v dnsgauge || echo "$bin/dnsgauge")")
bin=$(realpath -m "$bin")

usage() {
    cat <<TEXT
usage: $0 --directory DIR [--site FILE]
  --directory DIR  $keeps
  --site FILE      $site_has of your place (default: site.sh beside this file)
Exit status: 0 the figure's results are there; 2 something is wrong, one line says what; 3 interrupted, or a $one_try
was invalid: the same command goes on.
TEXT
}

die() {
    echo "${0##*/}: $*" >&2
    exit 2
}

# begin [options]: reads the command line and the site, which sets scaled_down, on_tester, options, and what
# the paper's set_defaults sets. The paper's $programs must be built.
begin() {
    local site=$here/site.sh program
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
    for program in "${programs[@]}"; do
        [[ -x $bin/$program ]] || die "no $bin/$program: build it first (tools/build), or install dnsgauge"
    done
    scaled_down=
    on_tester=()
    options=()
    set_defaults
    # shellcheck source=/dev/null
    . "$site"
    mkdir -p "$directory"
    directory=$(realpath "$directory")
}

# tell TITLE COMMAND...: prints the title, how far the figure is scaled down, and what the command prints; keeps all
# of that in the directory.
tell() {
    local title=$1
    shift
    {
        echo "$title"
        [[ -z $scaled_down ]] || echo "Scaled down, not the conditions of the publication: $scaled_down"
        "$@"
    } | tee "$directory/${0##*/}.txt"
}
