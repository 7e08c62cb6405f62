#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Holds queue 0 of an interface with an AF_XDP socket and no XDP program: hold_queue.py INTERFACE"""

import ctypes
import mmap
import os
import socket
import struct
import sys
import time

AF_XDP, SOL_XDP = 44, 283
TX_RING, UMEM_REG, UMEM_FILL_RING, UMEM_COMPLETION_RING = 3, 4, 5, 6
SIZE = 64 * 2048

area = mmap.mmap(-1, SIZE)
address = ctypes.addressof(ctypes.c_char.from_buffer(area))
holder = socket.socket(AF_XDP, socket.SOCK_RAW)
holder.setsockopt(SOL_XDP, UMEM_REG, struct.pack("QQIIIi", address, SIZE, 2048, 0, 0, 0))
for ring in (UMEM_FILL_RING, UMEM_COMPLETION_RING, TX_RING):
    holder.setsockopt(SOL_XDP, ring, 64)
# This is struct sockaddr_xdp, which Python's own bind() does not know.
libc = ctypes.CDLL(None, use_errno=True)
name = struct.pack("HHIII", AF_XDP, 0, socket.if_nametoindex(sys.argv[1]), 0, 0)
if libc.bind(holder.fileno(), name, len(name)):
    sys.exit(f"hold_queue.py: {os.strerror(ctypes.get_errno())}")
print("ready", flush=True)
time.sleep(60)
