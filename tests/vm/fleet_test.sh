#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fleet_test.sh [guests|containers]: two hosts, each a Debian with systemd. tools/fleet sets them up, over ssh; a second run
# changes nothing. Then mpirun on the first host launches a Tester on each by ssh, and both make joint trials: with
# FakeDNS, and with NSD and Knot DNS in its place. At last one host dies.
#
# Guests are QEMU's, without hardware virtualization: each has a kernel and a clock of its own. Containers
# (systemd-nspawn) take a fraction of the time, and share this machine's kernel and clock.
#
#                eth0 192.0.2.10            eth0 192.0.2.11
#     guest0:    eth1 Tester  -- link 0 --  eth2 DUT           :guest1
#                eth2 DUT     -- link 1 --  eth1 Tester
#
# DNSGAUGE_BIN names the directory of the programs (default build/bin). DNSGAUGE_PACKAGES names a directory of packages
# that tools/package has made, in place of packages made of these programs. The hosts' Debian is kept beside the
# programs, in vm/fleet; the first time it comes from the network (minutes). Must be root. Exit status 77: the test cannot run
# here, and the last line says why.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tree=$(realpath "$here/../..")
bin=$(realpath "${DNSGAUGE_BIN:-$tree/build/bin}")
home=$(dirname "$bin")/vm/fleet
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source-path=SCRIPTDIR source=../../tools/debian/chroot.sh
. "$tree/tools/debian/chroot.sh"
failures=0
boot_patience=600 # an emulated machine on busy CPUs is slow

skip() {
    echo "SKIP: $*"
    exit 77
}

check() { # WHAT CMD...
    local what=$1
    shift
    if "$@"; then
        echo "ok: $what ($SECONDS s)"
    else
        echo "FAIL: $what"
        failures=$((failures + 1))
    fi
}

# The hosts' Debian: what the packages need is there, and NSD and Knot DNS wait for apt.
make_debian() {
    make_base bookworm "$home/new" systemd-sysv dbus udev kmod initramfs-tools linux-image-cloud-amd64 \
        openssh-server python3 python3-apt iproute2 ethtool procps ca-certificates || return
    printf '#!/bin/sh\nexit 101\n' >"$home/new/usr/sbin/policy-rc.d"
    chmod 755 "$home/new/usr/sbin/policy-rc.d"
    cp --remove-destination /etc/resolv.conf "$home/new/etc/resolv.conf"
    mkdir "$home/new/packages"
    cp "$packages"/*.deb "$home/new/packages"
    enter "$home/new" sh -ec 'apt-get update -q
        apt-get install -q -y --no-install-recommends /packages/*.deb
        apt-get purge -q -y dnsgauge dnsgauge-mpi fakedns
        apt-get clean
        apt-get install -q -y --no-install-recommends --download-only nsd knot
        systemctl mask apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer man-db.timer
        systemctl enable ssh systemd-networkd
        rm -r /packages /usr/sbin/policy-rc.d' || return
    mv "$home/new" "$home/debian"
}

# interface NAME ADDRESS... Without a link-local address the kernel asks for no neighbour.
interface() {
    printf '[Match]\nName=%s\n[Network]\nLinkLocalAddressing=ipv6\nIPv6AcceptRA=no\n' "$1"
    printf '[Address]\nAddress=%s\nDuplicateAddressDetection=none\n' "${@:2}"
}

make_root() { # NUMBER
    local root=$scratch/root$1 number=$1 other=$((1 - $1)) network
    cp -a --reflink=auto "$home/debian" "$root"
    network=$root/etc/systemd/network
    interface eth0 "192.0.2.1$number/24" >"$network/eth0.network"
    interface eth1 "198.18.$number.1/24" "2001:2:0:$number::1/64" >"$network/eth1.network"
    interface eth2 "198.18.$other.2/24" "2001:2:0:$other::2/64" >"$network/eth2.network"
    echo "guest$number" >"$root/etc/hostname"
    printf '127.0.0.1 localhost\n192.0.2.10 guest0\n192.0.2.11 guest1\n' >"$root/etc/hosts"
    tr -d - </proc/sys/kernel/random/uuid >"$root/etc/machine-id"
    install -D -m 600 "$scratch/key.pub" "$root/root/.ssh/authorized_keys"
    rm -f "$root"/etc/ssh/ssh_host_*
    ssh-keygen -q -t ed25519 -N '' -C "guest$number" -f "$root/etc/ssh/ssh_host_ed25519_key"
}

# Management is a bridge of this network namespace.
lay_out() (
    set -e
    ip link set lo up
    ip link add management type bridge
    ip address add 192.0.2.1/24 dev management
    ip link set management up
)

# manage INTERFACE: joins it to the bridge.
manage() { ip link set "$1" master management up; }

# Offloads are off: with them the guest takes packets larger than the MTU, for which XDP programs are not made.
card() { # NUMBER CARD NETDEV
    echo "-netdev $3,id=net$2 -device virtio-net-pci,netdev=net$2,mac=02:00:c6:12:0$1:0$2,romfile=,guest_tso4=off,guest_tso6=off,guest_ecn=off,guest_ufo=off"
}

processes=()
boot_guest() { # NUMBER
    local number=$1 link0=socket,listen=127.0.0.1:7000 link1=socket,listen=127.0.0.1:7001 words
    if ((number == 1)); then
        link0=socket,connect=127.0.0.1:7001 link1=socket,connect=127.0.0.1:7000
    fi
    mke2fs -q -t ext4 -d "$scratch/root$number" "$scratch/image$number" 3G || return
    ip tuntap add "tap$number" mode tap && manage "tap$number" || return
    # Each link joins the two QEMUs alone.
    read -ra words <<<"$(card "$number" 0 "tap,ifname=tap$number,script=no,downscript=no") \
        $(card "$number" 1 "$link0") $(card "$number" 2 "$link1")"
    # The CPU has cmpxchg16b, since Open MPI uses it on any. Linux does not use it: tools/debian/boot tells why.
    timeout -k 5 5000 qemu-system-x86_64 -accel tcg,thread=multi -cpu Nehalem -smp 2 -m 1G \
        -nodefaults -no-reboot -display none "${words[@]}" \
        -drive "file=$scratch/image$number,format=raw,if=virtio,cache=unsafe" \
        -kernel "$home"/debian/boot/vmlinuz-* -initrd "$home"/debian/boot/initrd.img-* \
        -append "root=/dev/vda rw console=ttyS0 panic=-1 mitigations=off clearcpuid=cx16 net.ifnames=0 $late" \
        -serial "file:$scratch/console$number" &
    processes+=($!)
    # The second guest's links join the first one's.
    sleep 3
}
late="systemd.default_timeout_start_sec=900 systemd.default_device_timeout_sec=900"

# The container's namespace has its cards before the container starts.
boot_container() { # NUMBER
    local number=$1 namespace=fleet$1-$$ other=fleet$((1 - $1))-$$ name
    ip netns add "$namespace" && ip link add "m$number" type veth peer name eth0 netns "$namespace" || return
    manage "m$number"
    if ((number == 1)); then
        ip -n "$other" link add eth1 numrxqueues 1 numtxqueues 1 type veth \
            peer name eth2 netns "$namespace" numrxqueues 1 numtxqueues 1
        ip -n "$namespace" link add eth1 numrxqueues 1 numtxqueues 1 type veth \
            peer name eth2 netns "$other" numrxqueues 1 numtxqueues 1
        for name in "$namespace" "$other"; do
            ip netns exec "$name" ethtool -K eth1 gro on
            ip netns exec "$name" ethtool -K eth2 gro on
        done
    fi
    SYSTEMD_NSPAWN_API_VFS_WRITABLE=network systemd-nspawn --quiet --register=no --keep-unit --machine="guest$number" --directory="$scratch/root$number" \
        --network-namespace-path="/run/netns/$namespace" --capability=all \
        --system-call-filter="bpf perf_event_open" --console=read-only --boot \
        </dev/null >"$scratch/console$number" 2>&1 &
    processes+=($!)
}

end_hosts() {
    local number
    kill "${processes[@]}" 2>/dev/null
    # A container takes its time unless it is asked twice.
    sleep 1
    kill "${processes[@]}" 2>/dev/null
    wait
    for number in 0 1; do
        ip netns delete "fleet$number-$$" 2>/dev/null
    done
}

host() { # NUMBER CMD...
    timeout 900 ssh -n -i "$scratch/key" -o BatchMode=yes -o ConnectTimeout=20 -o LogLevel=ERROR \
        -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null "root@192.0.2.1$1" "${@:2}"
}

is_up() { # NUMBER
    local until=$((SECONDS + boot_patience))
    while ((SECONDS < until)); do
        ! host "$1" true 2>/dev/null || return 0
        sleep 2
    done
    tail -n 20 "$scratch/console$1"
    return 1
}

write_inventory() {
    cat <<END
testers:
  hosts:
    guest0: {ansible_host: 192.0.2.10}
    guest1: {ansible_host: 192.0.2.11}
  vars:
    dnsgauge_mpi_network: 192.0.2.0/24
authdns:
  hosts: {guest0: , guest1: }
  vars:
    dnsgauge_fakedns: {zone: [dns64perf.test], metrics: "127.0.0.1:9153"}
servers:
  hosts:
    guest0:
      dnsgauge_servers:
        - {kind: nsd, listen: [198.18.1.2, "2001:2:0:1::2"], names: 10.0.0.0/19}
    guest1:
      dnsgauge_servers:
        - {kind: knot, listen: [198.18.0.2, "2001:2:0:0::2"], names: 10.0.0.0/19, options: [--workers, "1"]}
all:
  vars:
    ansible_user: root
    ansible_ssh_private_key_file: $scratch/key
    ansible_ssh_common_args: -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null
    dnsgauge_interfaces: {eth1: tester, eth2: dut}
    dnsgauge_package_files:
$(printf '      - %s\n' "$packages"/{dnsgauge,dnsgauge-mpi,fakedns}_*.deb)
END
    [[ $kind == guests ]] || cat <<END
    # Containers may set only what belongs to their network namespace.
    dnsgauge_sysctls_everywhere: {net.ipv4.ip_forward: 0}
    dnsgauge_sysctls_of_testers: {net.ipv4.ip_local_port_range: 32768 60000}
END
}

play() { # FILE
    HOME=$scratch ANSIBLE_CONFIG=$tree/tools/fleet/ansible.cfg ANSIBLE_TIMEOUT=120 ANSIBLE_NOCOLOR=1 \
        ansible-playbook --inventory "$scratch/hosts.yml" "$tree/tools/fleet/site.yml" >"$1" 2>&1 || {
        tail -n 60 "$1"
        return 1
    }
}

# Are the recaps of both hosts so?
recap() { # FILE PATTERN
    [[ $(grep -cE "^guest[01] .* $2 .*unreachable=0 +failed=0" "$1") -eq 2 ]]
}

# Prints how many answers both hosts' FakeDNS has counted.
counted() {
    local number
    for number in 0 1; do
        host $number python3 -c "'
import urllib.request
text = urllib.request.urlopen(\"http://127.0.0.1:9153/metrics\").read().decode()
print(sum(int(line.split()[-1]) for line in text.splitlines()
          if line.startswith(\"fakedns_answers_by_kind_total\")))'"
    done | awk '{ n += $1 } END { print n + 0 }'
}

# joint SERVER OPTION...: a trial of both Testers. Its result is in $scratch/result, what it says in $scratch/said.
seconds=5
joint() {
    local status=0
    host 0 rm -f result.json
    host 0 mpirun --allow-run-as-root --hostfile /etc/dnsgauge/testers dnsgauge-mpi trial --interface eth1 \
        --server "$1" --names 10.0.0.0/19 --rate 200 --duration $seconds --timeout 5 --max-others 100 --max-lateness 60 \
        --max-overrun 60 --json result.json "${@:2}" >"$scratch/said" 2>&1 || status=$?
    host 0 cat result.json >"$scratch/result" 2>/dev/null
    grep -E '^(  verdict|[01] guest)|^dnsgauge' "$scratch/said" || cat "$scratch/said"
    return $status
}

told() { # CONDITION: is it so in the result r?
    python3 -I -c '
import json, sys
r = json.load(open(sys.argv[1]))
if not eval(f"({sys.argv[2]})"):
    sys.exit(f"not so: {sys.argv[2]}: {r['\''verdict'\'']}: {r['\''why'\'']}")' "$scratch/result" "$1"
}

test_set_up() {
    check "guest0 is up" is_up 0
    check "guest1 is up" is_up 1
    ((failures == 0)) || return
    check "the playbook" play "$scratch/first"
    ((failures == 0)) || return
    check "both hosts changed" recap "$scratch/first" 'changed=[1-9][0-9]*'
    check "doctor's findings are listed, for each interface of each host" \
        [ "$(grep -cE '"eth[12]: [0-9]+ fail, ' "$scratch/first")" -eq 4 ]
    grep -oE '"eth[12]: [0-9]+ fail, .*"' "$scratch/first"
    check "the playbook again" play "$scratch/second"
    check "nothing changed" recap "$scratch/second" 'changed=0'
    if [[ $kind == guests ]]; then
        check "the kernel's settings are set" [ "$(host 1 sysctl -n vm.nr_hugepages)" = 64 ]
    else
        check "the kernel's settings are set" \
            [ "$(host 1 sysctl -n net.ipv4.ip_local_port_range | tr '\t' ' ')" = '32768 60000' ]
    fi
}

# Prints, twice a second, how many octets guest1's management card has taken and sent.
watch_management() {
    local card=tap1
    [[ $kind == guests ]] || card=m1
    while sleep 0.5; do
        awk -v "card=$card:" '$1 == card { print $2 + $10 }' /proc/net/dev
    done
}

# Prints the fewest octets of any eight seconds: of sending for five, and waiting for the timeout. Prints nothing where
# less than eight seconds were watched, or the card carried nothing at all.
fewest() { awk '{ n[NR] = $1 } END { if (NR < 17 || n[NR] == n[1]) exit
    for (i = 17; i <= NR; i++) { d = n[i] - n[i - 16]; if (i == 17 || d < least) least = d }
    print least + 0 }' "$scratch/watched"; }

test_fakedns() { # SERVER
    local before after watcher least
    before=$(counted)
    watch_management >"$scratch/watched" &
    watcher=$!
    joint "$1" || echo "exit status $?"
    kill $watcher
    after=$(counted)
    least=$(fewest)
    echo "octets between the Testers in the eight seconds with the fewest: ${least:-unknown} of" \
        "$(($(tail -n 1 "$scratch/watched") - $(head -n 1 "$scratch/watched"))) in all"
    # ARP may ask.
    check "while they send, the Testers say nothing to each other" [ "${least:-200}" -lt 200 ]
    echo "FakeDNS of both hosts counted $((after - before)) answers"
    check "each host made its half" told "[(t['host'], t['trial']['sent']) for t in r['testers']]
        == [('guest0', 500), ('guest1', 500)]"
    check "the whole is the sum" told "r['sent'] == 1000 == r['valid'] + r['late'] + r['lost'] + r['invalid']['total']"
    check "FakeDNS counted as many" told "r['sent'] == $((after - before))"
    check "passed, or is invalid and says why" told "r['verdict'] == 'pass' or r['verdict'] == 'invalid' and r['why']"
    [[ $kind == guests ]] || return
    # The guests were started one after the other.
    check "the hosts have clocks of their own" told "all(c['bound_ns'] < 1e9 and abs(c['offset_ns']) > c['bound_ns']
        for c in (r['testers'][1]['clock_before'], r['testers'][1]['clock_after']))"
}

test_servers() {
    check "NSD starts in FakeDNS' place" host 0 'systemctl start dnsgauge-nsd && ! systemctl -q is-active fakedns'
    check "Knot DNS starts in FakeDNS' place" host 1 'systemctl start dnsgauge-knot && ! systemctl -q is-active fakedns'
    sleep 5
    joint '198.18.{rank}.2' || echo "exit status $?"
    check "NSD and Knot DNS answered all right" told "r['sent'] == 1000 == r['valid'] + r['late']"
}

# Prints how many datagrams the host's sockets have taken.
datagrams() { host "$1" awk "'/^Udp: [0-9]/ { print \$2 }'" /proc/net/snmp; }

# Kills guest1 once it has asked guest0's NSD 300 times.
kill_host() {
    local before
    before=$(datagrams 0)
    until (($(datagrams 0) >= before + 300)); do
        sleep 1
    done
    kill -9 "$(pgrep -P "${processes[1]}" | head -n 1)"
    echo "$SECONDS" >"$scratch/died"
}

# The network does not tell that a host died. Either mpirun finds out, and ends the other Tester; or that Tester does, and
# mpirun ends once TCP and ssh have given up.
test_dead_host() {
    local killer status=0 took
    kill_host &
    killer=$!
    seconds=40 joint '198.18.{rank}.2' || status=$?
    kill $killer 2>/dev/null
    sed 's/^/  /' "$scratch/said"
    check "the host died while they sent" [ -s "$scratch/died" ]
    [[ -s $scratch/died ]] || return
    took=$((SECONDS - $(<"$scratch/died")))
    echo "exit status $status, $took s after the host's death"
    check "the trial did not go well" [ $status -ne 0 ]
    check "mpirun ended within five minutes" [ $took -lt 300 ]
    check "a line names the host" grep -qE 'guest1|192\.0\.2\.11' "$scratch/said"
    if [[ -s $scratch/result ]]; then
        check "the result is invalid and names the host" told "r['verdict'] == 'invalid' and 'guest1' in r['why']"
    fi
    check "no program is left on the living host" host 0 '! ip -d link show eth1 | grep -q prog/xdp'
}

kind=${1:-guests}
[[ $kind =~ ^(guests|containers)$ ]] || {
    echo "usage: tests/vm/fleet_test.sh [guests|containers]" >&2
    exit 2
}
wanted=(ansible-playbook:ansible-core debootstrap:debootstrap dpkg-shlibdeps:dpkg-dev mke2fs:e2fsprogs
    ssh-keygen:openssh-client)
case $kind in
guests) wanted+=(qemu-system-x86_64:qemu-system-x86) ;;
containers) wanted+=(systemd-nspawn:systemd-container) ;;
esac
for program in "${wanted[@]}"; do
    command -v "${program%:*}" >/dev/null || skip "no ${program%:*}: apt-get install ${program#*:}"
done
[[ -x $bin/dnsgauge-mpi ]] || skip "no $bin/dnsgauge-mpi: it is built where MPI is"
[[ $(id -u) -eq 0 && -w /dev/net/tun ]] || skip "the hosts' interfaces need root and /dev/net/tun"
if [[ ${2-} != inside ]]; then
    mkdir -p "$home"
    scratch=$(mktemp -d -p "$home")
    trap 'rm -rf --one-file-system "$scratch"' EXIT
    packages=${DNSGAUGE_PACKAGES:-$scratch/packages}
    if [[ ! ${DNSGAUGE_PACKAGES-} ]]; then
        mkdir "$packages"
        "$here/make_packages" "$bin" "$packages" || exit 1
    fi
    [[ -d $home/debian ]] || make_debian >"$home/log" 2>&1 || skip "no Debian for the hosts: see $home/log"
    ssh-keygen -q -t ed25519 -N '' -C test -f "$scratch/key"
    for number in 0 1; do
        make_root $number || exit 1
    done
    scratch=$scratch packages=$packages unshare --net "$0" "$kind" inside
    exit
fi
# shellcheck disable=SC2154 # both are in the environment
write_inventory >"$scratch/hosts.yml"
trap end_hosts EXIT
{ lay_out && "boot_${kind%s}" 0 && "boot_${kind%s}" 1; } || exit 1
test_set_up
if ((failures == 0)); then
    echo "---- FakeDNS on both hosts, IPv4"
    test_fakedns '198.18.{rank}.2'
    echo "---- FakeDNS on both hosts, IPv6"
    test_fakedns '2001:2:0:{rank}::2'
    echo "---- NSD and Knot DNS"
    test_servers
    echo "---- a host dies"
    test_dead_host
fi
((failures == 0)) || echo "$failures failed"
exit $((failures > 0))
