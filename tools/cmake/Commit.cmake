# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake -DSOURCE=FOLDER -DRELEASE=VERSION -DHEADER=FILE -P Commit.cmake: writes HEADER, with the
# version and the commit of the Git work tree FOLDER, unless HEADER says so already.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=10 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${HEADER} CONTENT
    "#define DNSGAUGE_RELEASE \"@RELEASE@\"\n#define DNSGAUGE_COMMIT \"@commit@\"\n" @ONLY)
