#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a command with sockets that a unit of systemd passes: the sockets of fakedns.socket on an interface, and
one for metrics.

usage: with_sockets.py UNIT INTERFACE COMMAND...
"""

import os
import socket
import sys

FIRST = 3  # SD_LISTEN_FDS_START
TYPES = {"ListenDatagram": socket.SOCK_DGRAM, "ListenStream": socket.SOCK_STREAM}


def opened(kind, where, interface):
    """Returns the socket that a line such as ListenStream=[::]:53 asks for."""
    host, port = where.rsplit(":", 1)
    family = socket.AF_INET6 if host.startswith("[") else socket.AF_INET
    made = socket.socket(family, kind)
    if kind == socket.SOCK_STREAM:  # as systemd does
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if family == socket.AF_INET6:
        made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if interface:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, interface.encode())
    made.bind((host.strip("[]"), int(port)))
    if kind == socket.SOCK_STREAM:
        made.listen()
    return made


def main(unit, interface, *command):
    with open(unit, encoding="utf-8") as file:
        lines = [line.strip().split("=", 1) for line in file if line.startswith("Listen")]
    sockets = [opened(TYPES[name], where, interface) for name, where in lines]
    sockets.append(opened(socket.SOCK_STREAM, "127.0.0.1:9153", None))
    # Descriptors above those that are passed, so that none is overwritten before it is copied.
    high = [os.dup2(made.fileno(), 100 + number) for number, made in enumerate(sockets)]
    for number, descriptor in enumerate(high):
        os.dup2(descriptor, FIRST + number, inheritable=True)
        os.close(descriptor)
    os.execve(command[0], command, os.environ | {"LISTEN_FDS": str(len(sockets)), "LISTEN_PID": str(os.getpid())})


main(*sys.argv[1:])
