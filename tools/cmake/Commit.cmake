# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# cmake -DSOURCE=FOLDER -DRELEASE=VERSION -DHEADER=FILE -DTEXT=FILE -P Commit.cmake: writes HEADER, with the
# version and the commit of FOLDER, and TEXT, with both as programs print them, unless these files say so already. FOLDER is a Git work tree, or what "git
# archive" made, which wrote the commit into the file "commit" beside this one.
cmake_minimum_required(VERSION 3.25)
file(READ ${CMAKE_CURRENT_LIST_DIR}/commit commit)
if(commit MATCHES "^[0-9a-f]+")
    string(SUBSTRING ${commit} 0 10 commit)
else()
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=10 HEAD
        OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT
    "#define DNSGAUGE_RELEASE \"@RELEASE@\"\n#define DNSGAUGE_COMMIT \"@commit@\"\n" @ONLY)
set(version ${RELEASE})
if(commit)
    string(APPEND version " (commit ${commit})")
endif()
file(CONFIGURE OUTPUT ${TEXT} CONTENT "@version@\n" @ONLY)
