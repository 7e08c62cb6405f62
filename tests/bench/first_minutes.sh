#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Times what a newcomer does first, on a bare Debian: in a new chroot with git and no other package that is not
# essential, in a fresh clone of this repository. Packages are downloaded and installed within the times. Prints
# each step's output, and a table; judges nothing. Must be root; needs debootstrap, a mirror of Debian, and
# CPUs that nobody else uses.
#
# usage: tests/bench/first_minutes.sh [--keep FOLDER] [--only STEPS] [--release CODENAME] [COMMIT]
#   --keep FOLDER       where the chroot stays, so that --only can go on in it (default: in /var/tmp, removed)
#   --only STEPS        some of prepare, demo, again, quick and sizes, with commas between them (default: all)
#   --release CODENAME  default bookworm
#   COMMIT              what "prepare" checks out (default HEAD)
#
# prepare makes the chroot and the clone, and is not timed; demo is tools/demo, again is tools/demo once more,
# quick is tools/check --quick; sizes are the programs' sizes, stripped as "cmake --install --strip" does.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(realpath "$here/../..")
# shellcheck source-path=SCRIPTDIR source=../../tools/debian/chroot.sh
. "$top/tools/debian/chroot.sh"
PATH=$PATH:/usr/sbin:/sbin
# The chroot's compilers share nothing with this host, and the demo's trials are the usual ones.
unset CCACHE_DIR CCACHE_SLOPPINESS DEB_BUILD_OPTIONS RATE DURATION

die() {
    echo "first_minutes.sh: $*" >&2
    exit 2
}

usage() {
    sed -n 's/^# \(usage: .*\)/\1/p; s/^# \(  .*\)/\1/p' "$0" >&2
    exit 2
}

steps=prepare,demo,again,quick,sizes keep="" release=bookworm
while [[ ${1-} == --* ]]; do
    case $1 in
    --keep) keep=${2-} ;;
    --only) steps=${2-} ;;
    --release) release=${2-} ;;
    *) usage ;;
    esac
    shift 2 || usage
done
(($# <= 1)) || usage
[[ $release =~ ^[a-z]+$ ]] || usage
[[ ,$steps =~ ^(,(prepare|demo|again|quick|sizes))+$ ]] ||
    die "--only takes prepare, demo, again, quick and sizes, not '$steps'"
wanted() { [[ ,$steps, == *,$1,* ]]; }
commit=$(git -C "$top" rev-parse --verify --quiet "${1-HEAD}^{commit}") || die "no commit '$1'"
[[ $(id -u) -eq 0 ]] || die "must be root: it makes a chroot"

if [[ $keep ]]; then
    mkdir -p "$keep"
    place=$(realpath "$keep")
else
    place=$(mktemp -d -p /var/tmp first_minutes.XXXXXX)
    trap 'rm -rf --one-file-system "$place"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi
root=$place/bare-$release
clone=/root/dnsgauge

prepare() {
    command -v debootstrap >/dev/null || die "no debootstrap: apt-get install debootstrap"
    [[ -d $place/git-$release ]] || make_base "$release" "$place/git-$release" git
    copy_root "$place/git-$release" "$root"
    git clone --quiet --no-local "$top" "$root$clone"
    git -C "$root$clone" checkout --quiet "$commit"
}

table=()
row() { table+=("$(printf '%-24s %10s   %-8s %s' "$@")"); }

# timed NAME GOAL CMD...: runs CMD in the clone, and makes a row of the table.
timed() {
    local name=$1 goal=$2 status=0 begin before
    shift 2
    echo "==== $name"
    before=$(cut -d ' ' -f 1 /proc/loadavg)
    begin=$EPOCHREALTIME
    # shellcheck disable=SC2016
    enter "$root" sh -c 'cd "$1" && shift && exec "$@"' timed "$clone" "$@" </dev/null || status=$?
    row "$name" "$(awk -v begin="$begin" -v end="$EPOCHREALTIME" 'BEGIN {
        seconds = end - begin; printf "%d:%04.1f", seconds / 60, seconds % 60 }')" "$goal" \
        "exit status $status; load before: $before"
}

sizes() {
    local program size
    for program in dnsgauge fakedns dnsgauge-zone; do
        enter "$root" strip -o /tmp/stripped "$clone/build/bin/$program"
        size=$(stat -c %s "$root/tmp/stripped")
        row "$program, stripped" "$(numfmt --to=si --round=nearest --format='%.1f' "$size")B" \
            "$([[ $program != dnsgauge ]] || echo '6 MB')" ""
    done
    rm "$root/tmp/stripped"
}

! wanted prepare || prepare
[[ -d $root$clone ]] || die "no chroot in '$place': \"prepare\" makes it"
! wanted demo || timed "tools/demo" 4:00 tools/demo
! wanted again || timed "tools/demo again" 0:20 tools/demo
! wanted quick || timed "tools/check --quick" 6:00 tools/check --quick
! wanted sizes || sizes
((${#table[@]})) || exit 0

echo
# shellcheck disable=SC2016
echo "$(. "$root/etc/os-release" && echo "$PRETTY_NAME") in a chroot, $(nproc) CPUs, Linux $(uname -r)," \
    "commit $(git -C "$root$clone" rev-parse --short HEAD), $(date -u +%F)"
printf '%-24s %10s   %-8s %s\n' step measured goal ""
printf '%s\n' "${table[@]}"
