# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files that are there whole or not at all: the only place that opens a file for writing. The rules
are the C++ programs' (bpf/system/output_place.h)."""

from __future__ import annotations

import errno
import os
import secrets
import select
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import ReportError

LINKS_MOST = 40
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
STANDARD_FILES = (1, 2)
# How long a pipe's reader may take nothing before writing fails.
PATIENCE_S = 30.0


class Place:
    """Where a path leads to, once its links are followed. Owns the directory's descriptor.
    `standard`: the descriptor of standard output or standard error that has this file open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.directory = -1
        self.name = ""
        self.found: os.stat_result | None = None
        self.standard: int | None = None
        self.is_descriptor = False
        self.links = 0
        self.parts: list[str] = []

    @property
    def is_replaced(self) -> bool:
        """Returns whether a new file takes the place, and not a device or a pipe the content."""
        return self.found is None or stat.S_ISREG(self.found.st_mode)

    def close(self) -> None:
        if self.directory >= 0:
            os.close(self.directory)
        self.directory = -1

    def refuse(self, why: str) -> ReportError:
        return ReportError(f"cannot write {self.path}: {why}")

    def enter(self, name: str, at: int | None) -> None:
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        directory = os.open(name, flags, dir_fd=at)
        self.close()
        self.directory = directory

    def go(self, path: str) -> None:
        if path.startswith("/") or self.directory < 0:
            self.enter("/" if path.startswith("/") else ".", None)
        parts = [part for part in path.split("/") if part]
        self.parts = parts + ["."] * path.endswith("/") + self.parts

    def walk(self) -> None:
        for self.standard in STANDARD_FILES:
            with suppress(OSError):
                if os.path.samestat(os.fstat(self.standard), os.stat(self.path)):
                    return
        self.standard = None
        self.go(os.fspath(self.path))
        while self.parts:
            part = self.parts.pop(0)
            try:
                entry = os.stat(part, dir_fd=self.directory, follow_symlinks=False)
            except FileNotFoundError:
                if self.parts:
                    raise
                self.name = part
                return
            if stat.S_ISLNK(entry.st_mode):
                if self.is_own_descriptor(part):
                    return
                self.follow(part, entry)
            elif self.parts:
                self.enter(part, self.directory)
            else:
                self.take(part, entry)
                return
        raise self.refuse("it is a directory")

    def is_strangers(self, entry: os.stat_result) -> bool:
        """Returns whether somebody who is neither trusted nor this user may have put it there."""
        directory = os.stat(self.directory)
        trusted = (os.geteuid(), directory.st_uid)
        return bool(directory.st_mode & OTHERS_WRITE) and entry.st_uid not in trusted

    def is_strangers_link(self, link: os.stat_result) -> bool:
        """Returns whether the link is not to be followed. Root could replace any file through
        another user's link, also one in that user's own directory."""
        return link.st_uid != 0 and (os.geteuid() == 0 or self.is_strangers(link))

    def is_own_descriptor(self, part: str) -> bool:
        """Takes /proc's link to an open pipe or device for the place itself."""
        if self.parts or not os.readlink(f"/proc/self/fd/{self.directory}").startswith("/proc/"):
            return False
        target = os.stat(part, dir_fd=self.directory)
        if stat.S_ISREG(target.st_mode) or stat.S_ISDIR(target.st_mode):
            return False
        self.name, self.found, self.is_descriptor = part, target, True
        return True

    def follow(self, part: str, link: os.stat_result) -> None:
        if self.is_strangers_link(link):
            where = "" if os.geteuid() == 0 else " in a directory where others may write"
            mend = "a file in a directory of your own" if where else "the file that it leads to"
            raise self.refuse(f"it is, or leads over, another user's link{where}: name {mend}")
        self.links += 1
        if self.links > LINKS_MOST:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        self.go(os.readlink(part, dir_fd=self.directory))

    def take(self, part: str, entry: os.stat_result) -> None:
        if stat.S_ISDIR(entry.st_mode):
            raise self.refuse("it is a directory")
        is_file = stat.S_ISREG(entry.st_mode)
        if self.is_strangers(entry) and (is_file or entry.st_uid != 0):
            kind, mend = ("file", "another") if is_file else ("pipe or device", "one of your own")
            where = "in a directory where others may write"
            raise self.refuse(f"it is another user's {kind} {where}: name {mend}")
        self.name, self.found = part, entry

    def require_lasting(self) -> None:
        mode = os.stat(self.directory).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            why = "everybody may replace the files in its directory"
            raise self.refuse(f"{why}: take that right away (chmod o-w), or name another directory")


@contextmanager
def place_of(path: Path) -> Iterator[Place]:
    """Yields where the path leads to. Throws ReportError for errors of the system."""
    place = Place(path)
    try:
        place.walk()
        yield place
    except OSError as error:
        raise ReportError(f"cannot write {path}: {error.strerror}") from error
    finally:
        place.close()


def write_special(place: Place, content: bytes) -> None:
    """Writes a device, or a pipe, which needs a reader that does not stop reading."""
    follow = 0 if place.is_descriptor else os.O_NOFOLLOW
    flags = os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC | follow
    try:
        descriptor = os.open(place.name, flags, dir_fd=place.directory)
    except OSError as error:
        if error.errno == errno.ENXIO and place.found and stat.S_ISFIFO(place.found.st_mode):
            raise place.refuse("it is a pipe that nothing reads: start its reader first") from error
        raise
    with open(descriptor, "wb", buffering=0) as file:
        left = memoryview(content)
        while left:
            if not select.select([], [file], [], PATIENCE_S)[1]:
                raise place.refuse(f"its reader has taken nothing for {PATIENCE_S:g} s")
            left = left[file.write(left) or 0 :]


def replace(place: Place, content: bytes) -> None:
    place.require_lasting()
    name, at = f".{secrets.token_hex(8)}.tmp", place.directory
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    with open(os.open(name, flags, 0o666, dir_fd=at), "wb") as file:
        try:
            file.write(content)
            file.flush()
            if place.found:
                with suppress(PermissionError):
                    os.fchown(file.fileno(), place.found.st_uid, place.found.st_gid)
                os.fchmod(file.fileno(), place.found.st_mode & 0o777)
            os.fsync(file.fileno())
            os.rename(name, place.name, src_dir_fd=at, dst_dir_fd=at)
        except BaseException:
            os.unlink(name, dir_fd=at)
            raise


def check_writable(path: Path) -> None:
    """Throws ReportError where write_whole() would refuse the path."""
    with place_of(path) as place:
        if place.standard is None and place.is_replaced:
            place.require_lasting()
            if not os.access(f"/proc/self/fd/{place.directory}", os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def write_whole(path: Path, content: str | bytes) -> None:
    """Writes the file so that readers see all of it or the old one. Throws ReportError."""
    octets = content.encode() if isinstance(content, str) else content
    with place_of(path) as place:
        if place.standard is not None:
            with open(place.standard, "wb", closefd=False) as file:
                file.write(octets)
        elif place.is_replaced:
            replace(place, octets)
        else:
            write_special(place, octets)
