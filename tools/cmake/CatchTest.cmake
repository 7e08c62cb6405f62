# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests made of Catch2 cases, with the main that Catch2's package has compiled.

# add_catch_test(NAME LABEL label SOURCES file... [LINKS target...] [ARGUMENTS argument...]): makes a
# program NAME that ctest runs under that name, with these arguments. NAME is the test's place: unit.checksum is
# tests/unit/checksum_test.cpp. A program that cannot run here ends with status 77, and ctest
# reports the test as skipped.
function(add_catch_test name)
    cmake_parse_arguments(PARSE_ARGV 1 test "" "LABEL" "SOURCES;LINKS;ARGUMENTS")
    if(NOT test_LABEL OR NOT test_SOURCES)
        message(FATAL_ERROR "add_catch_test(${name}): LABEL and SOURCES are needed")
    endif()
    add_executable(${name} ${test_SOURCES})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE dnsgauge_flags Catch2::Catch2WithMain ${test_LINKS})
    read_catch_headers(${name})
    add_test(NAME ${name} COMMAND ${name} ${test_ARGUMENTS})
    set_tests_properties(${name} PROPERTIES LABELS ${test_LABEL} SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()
