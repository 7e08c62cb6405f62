# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# What "cmake --install" puts where a distribution expects it. Nothing installed refers to the source tree.
include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(DNSGAUGE_UNIT_DIRECTORY lib/systemd/system CACHE STRING "Where units of systemd are installed")
set(DNSGAUGE_ZSH_DIRECTORY ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING
    "Where completions of zsh are installed: Debian's packages have theirs in share/zsh/vendor-completions")

# A release is installed without symbols; other kinds of builds keep them, for the packager's tools.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)")
endif()
install(TARGETS dnsgauge fakedns dnsgauge-zone dnsgauge-queries RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET dnsgauge-mpi)
    install(TARGETS dnsgauge-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(PROGRAMS tools/lab DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME dnsgauge-lab)
install(PROGRAMS tools/demo DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME dnsgauge-demo)
install(FILES tools/progress.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/dnsgauge)

# dnsgauge-report finds its package beside itself, or in ../share/dnsgauge/report, and its version there.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tools/report/dnsgauge-report
    ${PROJECT_BINARY_DIR}/bin/dnsgauge-report SYMBOLIC)
file(GLOB report_sources CONFIGURE_DEPENDS tools/report/dnsgauge_report/*.py
    tools/report/dnsgauge_report/commands/*.py)
install(PROGRAMS tools/report/dnsgauge-report DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_BINARY_DIR}/version DESTINATION ${CMAKE_INSTALL_DATADIR}/dnsgauge/report)
install(DIRECTORY tools/report/dnsgauge_report DESTINATION ${CMAKE_INSTALL_DATADIR}/dnsgauge/report
    PATTERN __pycache__ EXCLUDE PATTERN .mypy_cache EXCLUDE)

# Manual pages and completions are made from the tables of options, and from the schemas; tools/man/NAME.txt
# adds what no table says.
set(pages ${PROJECT_BINARY_DIR}/pages)
file(GLOB page_texts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/man/*.txt)
add_custom_command(
    OUTPUT ${pages}/made
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/man/make_pages.py ${pages} ${PROJECT_VERSION}
        $<TARGET_FILE:dnsgauge> $<TARGET_FILE:fakedns> $<TARGET_FILE:dnsgauge-zone>
        $<TARGET_FILE:dnsgauge-queries> ${PROJECT_SOURCE_DIR}/tools/report/dnsgauge-report
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/man/make_results_page.py
        ${PROJECT_BINARY_DIR}/schemas ${pages}/man5/dnsgauge-results.5 ${PROJECT_VERSION}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}/made
    DEPENDS dnsgauge fakedns dnsgauge-zone dnsgauge-queries ${page_texts}
        ${PROJECT_SOURCE_DIR}/tools/man/make_pages.py ${report_sources}
        ${PROJECT_SOURCE_DIR}/tools/man/make_results_page.py schemas make_schemas
    COMMENT "Manual pages and completions"
    VERBATIM)
add_custom_target(pages ALL DEPENDS ${pages}/made)
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${pages}/man5/dnsgauge-results.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES tools/man/dnsgauge-lab.1 tools/man/dnsgauge-demo.1 tools/man/dnsgauge-mpi.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY ${pages}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${pages}/zsh/ DESTINATION ${DNSGAUGE_ZSH_DIRECTORY})
install(DIRECTORY ${pages}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The unit names the program and its configuration by where they are installed.
file(READ fakedns/fakedns.service unit)
string(REPLACE /usr/local/bin ${CMAKE_INSTALL_FULL_BINDIR} unit "${unit}")
string(REPLACE /etc/fakedns.toml ${CMAKE_INSTALL_FULL_SYSCONFDIR}/fakedns.toml unit "${unit}")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fakedns.service CONTENT "${unit}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS fakedns/fakedns.service)
install(FILES ${PROJECT_BINARY_DIR}/fakedns.service DESTINATION ${DNSGAUGE_UNIT_DIRECTORY})
install(FILES fakedns/fakedns.toml DESTINATION ${CMAKE_INSTALL_FULL_SYSCONFDIR})

install(DIRECTORY ${PROJECT_BINARY_DIR}/schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/dnsgauge)

# Guides keep their places, so that links between them lead on.
file(GLOB_RECURSE guides RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    bpf/*.md fakedns/*.md tests/bench/*.md tests/bench/chart.svg tools/*.md tools/guides/gate.yml tools/report/example.svg
    user/*.md zones/*.md)
list(FILTER guides EXCLUDE REGEX ^tools/debian/)
list(APPEND guides README.md CONTRIBUTING.md LICENSE fakedns/fakedns.toml fakedns/fakedns.service
    fakedns/fakedns.socket fakedns/sockets.conf user/stats/selftest_rule.h)
foreach(guide IN LISTS guides)
    get_filename_component(folder ${guide} DIRECTORY)
    install(FILES ${guide} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/schemas DESTINATION ${CMAKE_INSTALL_DOCDIR}/user/record)
install(PROGRAMS tools/dns64-conformance tools/internet-conformance DESTINATION ${CMAKE_INSTALL_DOCDIR}/tools)
install(DIRECTORY tools/fleet DESTINATION ${CMAKE_INSTALL_DOCDIR}/tools)
# small/run and the scaled-down papers build on the source tree.
install(DIRECTORY tools/experiments DESTINATION ${CMAKE_INSTALL_DOCDIR}/tools USE_SOURCE_PERMISSIONS
    PATTERN run EXCLUDE REGEX /paper-[0-9]+/small$ EXCLUDE)
