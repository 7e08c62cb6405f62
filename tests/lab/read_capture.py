#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Prints the DNS queries in a capture, one a line: time, client, port, server, message. Over TCP it reads segments of
whole messages.

usage: read_capture.py FILE [--without-id]

Scapy reads the capture: nothing here is dnsgauge's. With --without-id each line has the message
alone, without its transaction ID.
"""

import sys

from scapy.all import IP, TCP, UDP, IPv6, RawPcapReader, conf
from scapy.layers.l2 import CookedLinux, CookedLinuxV2, Ether

# Layers above UDP and TCP would be read and written anew.
conf.layers.filter([Ether, CookedLinux, CookedLinuxV2, IP, IPv6, TCP, UDP])

LINKS = {1: Ether, 113: CookedLinux, 276: CookedLinuxV2}
# What the machine may take from the kernel's taking a packet to tcpdump's seeing it, ns.
BETWEEN_CLOCKS = 20_000_000


def messages(carrier, layer):
    """Yields the messages of a datagram or of a segment, in a packet of this layer."""
    octets = bytes(carrier.payload)
    if UDP in carrier:
        yield octets[:carrier.len - 8]
        return
    packet = layer.len - 4 * layer.ihl if IP in layer else layer.plen
    octets = octets[:packet - 4 * carrier.dataofs]
    while octets:
        size = int.from_bytes(octets[:2], "big")
        yield octets[2:2 + size]
        octets = octets[2 + size:]


def carried(path):
    """Yields time, IP layer, and UDP or TCP layer of each packet that has them."""
    reader = RawPcapReader(path)
    unit = 1 if reader.nano else 1000
    for data, meta in reader:
        packet = LINKS[reader.linktype](data)
        carrier = UDP if UDP in packet else TCP
        if carrier in packet:
            layer = packet[IP] if IP in packet else packet[IPv6]
            yield meta.sec * 10**9 + meta.usec * unit, layer, packet[carrier]


def queries(path):
    """Yields time, client, port, server and message."""
    for time, layer, carrier in carried(path):
        for message in messages(carrier, layer) if carrier.dport == 53 else ():
            yield time, layer.src, carrier.sport, layer.dst, message


def main():
    for time, client, port, server, message in queries(sys.argv[1]):
        if "--without-id" in sys.argv[2:]:
            print(message[2:].hex())
        else:
            print(time, client, port, server, message.hex())


if __name__ == "__main__":
    main()
