# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A room is a folder that is one CMake target. Only targets that link the room can include its
# headers, as "NAME/header.h": each room exposes a folder of links of its own, never the source
# tree. An include against the direction of the arrows in CONTRIBUTING.md does not compile.

# room_headers(TARGET SCOPE NAME): exposes this folder as "NAME/..." to targets that link TARGET.
function(room_headers target scope name)
    set(exposed ${PROJECT_BINARY_DIR}/rooms/${target})
    file(MAKE_DIRECTORY ${exposed})
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${exposed}/${name} SYMBOLIC)
    target_include_directories(${target} ${scope} ${exposed})
endfunction()

# compile_cold(TARGET): no packet waits for the target's code, and the optimizer is most of its compilation: what
# is inlined there makes the code smaller.
function(compile_cold target)
    set_target_properties(${target} PROPERTIES IS_COLD ON)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>
        "$<$<AND:$<CONFIG:Release>,$<COMPILE_LANG_AND_ID:CXX,Clang>>:SHELL:-mllvm -inline-threshold=0>")
    # Such code lays no structure over a packet, and checks of every pointer take a quarter of its compilation.
    # AddressSanitizer finds null pointers, too.
    if(DNSGAUGE_SANITIZE MATCHES undefined)
        target_compile_options(${target} PRIVATE -fno-sanitize=alignment,null,vptr)
    endif()
endfunction()

# add_room(TARGET NAME [COLD] [PRECOMPILED target] [SOURCES file...] [ALONE file...] [LINKS target...]
#          [PRIVATE_LINKS target...])
#
# With DNSGAUGE_UNITY the compiler reads all SOURCES as one: headers and templates cost most of a build, and are
# then paid for once. Sources whose headers or local names other sources cannot bear are ALONE.
function(add_room target name)
    cmake_parse_arguments(PARSE_ARGV 2 room "COLD" "PRECOMPILED" "SOURCES;ALONE;LINKS;PRIVATE_LINKS")
    if(room_SOURCES OR room_ALONE)
        add_library(${target} STATIC ${room_SOURCES} ${room_ALONE})
        read_together(${target} "${room_PRECOMPILED}" ${room_ALONE})
        if(room_COLD)
            compile_cold(${target})
        endif()
        set(scope PUBLIC)
        target_link_libraries(${target} PUBLIC ${room_LINKS} json_instance PRIVATE dnsgauge_flags ${room_PRIVATE_LINKS})
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
        target_link_libraries(${target} INTERFACE ${room_LINKS})
    endif()
    room_headers(${target} ${scope} ${name})
endfunction()

# add_program(TARGET [PRECOMPILED target] SOURCES file... LINKS target...): a program, compiled as COLD rooms are. Its
# rooms have the code that packets wait for.
function(add_program target)
    cmake_parse_arguments(PARSE_ARGV 1 program "" "PRECOMPILED" "SOURCES;LINKS")
    add_executable(${target} ${program_SOURCES})
    read_together(${target} "${program_PRECOMPILED}")
    compile_cold(${target})
    target_link_libraries(${target} PRIVATE ${program_LINKS} json_instance dnsgauge_flags fmt::fmt)
endfunction()

# read_together(TARGET PRECOMPILED [alone...]): the compiler reads the target's sources as one, except those after
# PRECOMPILED, and the common headers from the target PRECOMPILED, or from "precompiled" if it is empty.
function(read_together target precompiled)
    if(NOT precompiled)
        set(precompiled precompiled)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${DNSGAUGE_UNITY} UNITY_BUILD_BATCH_SIZE 0)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_precompile_headers(${target} REUSE_FROM ${precompiled})
endfunction()
