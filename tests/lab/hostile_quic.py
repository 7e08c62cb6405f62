# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What clients and servers over QUIC that mean harm do alike: packets and frames of any content, by aioquic's keys."""

import os
import socket
import time

from aioquic.buffer import encode_uint_var as varint
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.tls import Epoch

ALPN = ["doq"]
CID_SIZE = 8
MOST = 1200  # octets of a datagram

RESET_STREAM, STOP_SENDING, CRYPTO, STREAM, MAX_DATA = 0x04, 0x05, 0x06, 0x08, 0x10
NEW_CONNECTION_ID, RETIRE_CONNECTION_ID, PATH_CHALLENGE = 0x18, 0x19, 0x1A
CLOSE, CLOSE_BY_APPLICATION, PING = 0x1C, 0x1D, 0x01
FIN, LENGTH, OFFSET = 1, 2, 4  # flags of STREAM

__all__ = ["QuicConfiguration", "varint"]


def numbers(*values):
    return b"".join(map(varint, values))


def stream(number, octets=b"", offset=0, fin=False):
    kind = STREAM | OFFSET | LENGTH | (FIN if fin else 0)
    return numbers(kind, number, offset, len(octets)) + octets


def crypto(octets, offset):
    return numbers(CRYPTO, offset, len(octets)) + octets


def message(octets):
    """A DNS message with its length."""
    return len(octets).to_bytes(2, "big") + octets


class Connection(QuicConnection):
    """Sends what it likes, and lets the peer send on any stream. `heard` has the octets of each stream, once FIN came
    `ended`."""

    def __init__(self, **arguments):
        super().__init__(**arguments)
        self.heard = {}
        self.ended = set()
        self.resets = {}

    def _handle_stream_frame(self, context, frame_type, buf):
        number = buf.pull_uint_var()
        offset = buf.pull_uint_var() if frame_type & OFFSET else 0
        size = buf.pull_uint_var() if frame_type & LENGTH else buf.capacity - buf.tell()
        octets = buf.pull_bytes(size)
        got = self.heard.setdefault(number, bytearray())
        got.extend(bytes(max(0, offset + size - len(got))))
        got[offset : offset + size] = octets
        if frame_type & FIN:
            self.ended.add(number)

    def _handle_reset_stream_frame(self, context, frame_type, buf):
        number, code, _ = (buf.pull_uint_var() for _ in range(3))
        self.resets[number] = code

    def _handle_stop_sending_frame(self, context, frame_type, buf):
        for _ in range(2):
            buf.pull_uint_var()

    def is_open(self):
        return self._handshake_complete and self._cryptos[Epoch.ONE_RTT].send.is_valid()

    def _handle_path_response_frame(self, context, frame_type, buf):
        buf.pull_bytes(8)

    def closed_with(self):
        """The error code with which the connection ended, if it has."""
        return None if self._close_event is None else self._close_event.error_code

    def packet(self, frames):
        """A datagram with these frames, in one packet of the open connection."""
        number = self._packet_number & 0xFFFF
        header = b"\x41" + self._peer_cid.cid + number.to_bytes(2, "big")
        octets = self._cryptos[Epoch.ONE_RTT].encrypt_packet(
            header, frames + bytes(max(0, 4 - len(frames))), self._packet_number
        )
        self._packet_number += 1
        return octets

    def initial(self, frames):
        """A datagram with these frames, in one Initial packet."""
        number = self._packet_number & 0xFFFF
        header = b"\xc1\0\0\0\1" + bytes([len(self._peer_cid.cid)]) + self._peer_cid.cid
        header += bytes([len(self.host_cid)]) + self.host_cid + b"\0"
        frames += bytes(max(0, MOST - len(header) - 2 - 2 - 16 - len(frames)))
        header += (0x4000 | (2 + len(frames) + 16)).to_bytes(2, "big") + number.to_bytes(2, "big")
        octets = self._cryptos[Epoch.INITIAL].encrypt_packet(header, frames, self._packet_number)
        self._packet_number += 1
        return octets


def udp_socket(address):
    made = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    return made


def random(size):
    return os.urandom(size)


def now():
    return time.monotonic()
