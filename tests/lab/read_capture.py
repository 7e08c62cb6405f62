#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Prints the DNS queries over UDP in a capture, one a line: time, client, port, server, message.

usage: read_capture.py FILE [--without-id]

Scapy reads the capture: nothing here is dnsgauge's. With --without-id each line has the message
alone, without its transaction ID.
"""

import sys

from scapy.all import IP, UDP, IPv6, RawPcapReader, conf
from scapy.layers.l2 import CookedLinux, CookedLinuxV2, Ether

# Layers above UDP would be read and written anew.
conf.layers.filter([Ether, CookedLinux, CookedLinuxV2, IP, IPv6, UDP])

LINKS = {1: Ether, 113: CookedLinux, 276: CookedLinuxV2}


def queries(path):
    """Yields time, client, port, server and message."""
    reader = RawPcapReader(path)
    unit = 1 if reader.nano else 1000
    for data, meta in reader:
        packet = LINKS[reader.linktype](data)
        if UDP not in packet or packet[UDP].dport != 53:
            continue
        layer = packet[IP] if IP in packet else packet[IPv6]
        message = bytes(packet[UDP].payload)[:packet[UDP].len - 8]
        yield meta.sec * 10**9 + meta.usec * unit, layer.src, packet[UDP].sport, layer.dst, message


def main():
    for time, client, port, server, message in queries(sys.argv[1]):
        if "--without-id" in sys.argv[2:]:
            print(message[2:].hex())
        else:
            print(time, client, port, server, message.hex())


if __name__ == "__main__":
    main()
