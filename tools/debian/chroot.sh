# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Chroots of a release of Debian, to be sourced. Must be root; needs debootstrap.
# MIRROR names Debian's mirror, CCACHE_DIR a cache of compilations that the chroots share.

# make_base RELEASE ROOT [PACKAGE...]: makes the chroot ROOT of the release's essential packages, apt and
# PACKAGEs. A ROOT that is there is whole.
make_base() {
    local release=$1 root=$2 include
    shift 2
    include=$(IFS=,; echo "$*")
    rm -rf --one-file-system "$root.new"
    debootstrap --variant=minbase ${include:+"--include=$include"} "$release" "$root.new" \
        "${MIRROR:-http://deb.debian.org/debian}"
    mkdir "$root.new/ccache"
    mv "$root.new" "$root"
}

# copy_root BASE ROOT: makes ROOT anew, as a copy of BASE that knows this host's name servers.
copy_root() {
    rm -rf --one-file-system "$2"
    cp -a --reflink=auto "$1" "$2"
    cp --remove-destination /etc/resolv.conf "$2/etc/resolv.conf"
}

# enter ROOT CMD...: runs CMD in the chroot. Mounts end with the processes that use them. A namespace of
# processes would hide the kernel's threads, one of which the lab pins to a CPU.
enter() {
    local root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount sh -ec '
        root=$1
        shift
        # "ip netns exec" wants a root that is a mount.
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind --make-rslave /sys "$root/sys"
        mount --rbind --make-rslave /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/run"
        [ -z "$CCACHE_DIR" ] || mount --bind "$CCACHE_DIR" "$root/ccache"
        exec chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive CCACHE_DIR=/ccache CCACHE_SLOPPINESS="$CCACHE_SLOPPINESS" \
            ${DEB_BUILD_OPTIONS:+"DEB_BUILD_OPTIONS=$DEB_BUILD_OPTIONS"} \
            ${CCACHE_DIR:+CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache} \
            ${RATE:+"RATE=$RATE"} ${DURATION:+"DURATION=$DURATION"} "$@"' enter "$root" "$@"
}
