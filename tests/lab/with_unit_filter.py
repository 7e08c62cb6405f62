#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a command with the system calls alone that a unit for systemd allows by SystemCallFilter=, and with
sockets of the families alone that RestrictAddressFamilies= has; another call ends the command by SIGSYS. Needs
systemd-analyze, which knows the groups, and libseccomp. UNIT may be several files with commas between them: a
unit and its drop-ins.

usage: with_unit_filter.py UNIT COMMAND...
"""

import ctypes
import os
import socket
import subprocess
import sys

KILL_PROCESS, ALLOW = 0x80000000, 0x7FFF0000
EQUAL = 4  # SCMP_CMP_EQ


class Comparison(ctypes.Structure):
    """struct scmp_arg_cmp"""
    _fields_ = [("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def calls_of(word):
    """Returns the names of the system calls that a word of the filter stands for."""
    if not word.startswith("@"):
        return {word}
    listed = subprocess.run(["systemd-analyze", "syscall-filter", word], check=True, capture_output=True,
                            text=True).stdout
    inner = [line.strip() for line in listed.splitlines()[1:]]
    return set().union(*(calls_of(name) for name in inner if name and not name.startswith("#")))


def words_of(unit, setting):
    """Returns the words of a setting; an empty line forgets those before it."""
    words = []
    for path in unit.split(","):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.startswith(setting + "="):
                    added = line.split("=", 1)[1].split()
                    words = words + added if added else []
    return words


def main(unit, *command):
    words = ["@default"] + words_of(unit, "SystemCallFilter")
    if any(word.startswith("~") for word in words):
        sys.exit("this program knows lists of what is allowed alone")
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(KILL_PROCESS)))
    for name in set().union(*map(calls_of, words)) - {"socket"}:
        number = library.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            library.seccomp_rule_add(context, ctypes.c_uint32(ALLOW), number, 0)
    socket_call = library.seccomp_syscall_resolve_name(b"socket")
    for family in words_of(unit, "RestrictAddressFamilies"):
        library.seccomp_rule_add_array(context, ctypes.c_uint32(ALLOW), socket_call, 1,
                                       ctypes.byref(Comparison(0, EQUAL, getattr(socket, family), 0)))
    if library.seccomp_load(context) != 0:
        sys.exit("the filter cannot be loaded")
    os.execv(command[0], command)


main(*sys.argv[1:])
