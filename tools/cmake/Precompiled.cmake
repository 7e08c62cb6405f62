# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Compiles once the headers of libraries and of the standard library that many sources read:
# otherwise reading them takes a third of a clean build. A source still includes what it uses. With
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON the compiler finds missing includes.

set(precompiled_source ${PROJECT_BINARY_DIR}/precompiled.cpp)
file(CONFIGURE OUTPUT ${precompiled_source} CONTENT "")

# json_instance holds the library's code for nlohmann::ordered_json, which no other source compiles then.
set(json_instance ${CMAKE_CURRENT_LIST_DIR}/json_instance.h)
add_library(json_instance STATIC ${CMAKE_CURRENT_LIST_DIR}/json_instance.cpp)
target_link_libraries(json_instance PRIVATE dnsgauge_flags nlohmann_json::nlohmann_json)
compile_cold(json_instance)

# add_precompiled(TARGET header...): the headers that all read, and these.
function(add_precompiled target)
    add_library(${target} OBJECT ${precompiled_source})
    target_link_libraries(${target} PRIVATE dnsgauge_flags fmt::fmt nlohmann_json::nlohmann_json Threads::Threads)
    target_precompile_headers(${target} PRIVATE
        <algorithm> <charconv> <chrono> <deque> <filesystem> <fstream> <functional> <map> <memory> <optional>
        <random> <set> <span> <sstream> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h>
        ${json_instance} ${ARGN})
endfunction()

# "precompiled" is for all programs, "precompiled_trials" for rooms that make trials, write them and read them, and
# "precompiled_tests" for programs that Catch2 runs.
add_precompiled(precompiled)
add_precompiled(precompiled_trials
    <dns/ip_address.h> <options/access.h> <series/search/search.h> <trial/trial.h>)
target_include_directories(precompiled_trials SYSTEM PRIVATE $<TARGET_PROPERTY:series,INCLUDE_DIRECTORIES>)

if(Catch2_FOUND)
    add_library(precompiled_tests OBJECT ${precompiled_source})
    target_link_libraries(precompiled_tests PRIVATE dnsgauge_flags fmt::fmt nlohmann_json::nlohmann_json
        Catch2::Catch2 Threads::Threads)
    target_compile_options(precompiled_tests PRIVATE -O0) # as read_catch_headers() does
    target_precompile_headers(precompiled_tests PRIVATE
        <algorithm> <map> <memory> <optional> <span> <sstream> <string> <vector> <fmt/format.h>
        ${json_instance} <catch2/catch.hpp>)

    # read_catch_headers(TARGET): the target's sources are Catch2's cases. Their own code need not be fast, and
    # optimizing Catch2's macros takes half of a compilation.
    function(read_catch_headers target)
        target_compile_options(${target} PRIVATE -O0)
        target_precompile_headers(${target} REUSE_FROM precompiled_tests)
    endfunction()
endif()
