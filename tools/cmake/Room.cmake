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

# add_room(TARGET NAME [SOURCES file...] [APART file...] [ALONE file...] [LINKS target...] [PRIVATE_LINKS target...])
#
# With DNSGAUGE_UNITY the compiler reads up to twelve of SOURCES as one: headers and templates cost most of a
# build, and are then paid for once. After a change of one source the compiler is busy for all that it reads
# with it. Sources that have the same local names as one of SOURCES are APART, and are read as one as well.
# Those that have the same local names as sources of both are ALONE.
function(add_room target name)
    cmake_parse_arguments(PARSE_ARGV 2 room "" "" "SOURCES;APART;ALONE;LINKS;PRIVATE_LINKS")
    if(room_SOURCES OR room_APART OR room_ALONE)
        add_library(${target} STATIC ${room_SOURCES} ${room_APART} ${room_ALONE})
        set_target_properties(${target} PROPERTIES UNITY_BUILD ${DNSGAUGE_UNITY} UNITY_BUILD_MODE GROUP)
        read_together(${target}_sources ${room_SOURCES})
        read_together(${target}_apart ${room_APART})
        set(scope PUBLIC)
        target_link_libraries(${target} PUBLIC ${room_LINKS} json_instance PRIVATE dnsgauge_flags ${room_PRIVATE_LINKS})
        target_precompile_headers(${target} REUSE_FROM precompiled)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
        target_link_libraries(${target} INTERFACE ${room_LINKS})
    endif()
    room_headers(${target} ${scope} ${name})
endfunction()

# read_together(NAME file...): the compiler reads up to twelve of these files as one. The parts are as long as
# each other, so that no CPU waits for the other's.
function(read_together name)
    list(LENGTH ARGN files)
    math(EXPR parts "(${files} + 11) / 12")
    set(number 0)
    foreach(file IN LISTS ARGN)
        math(EXPR part "${number} * ${parts} / ${files}")
        set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${name}_${part})
        math(EXPR number "${number} + 1")
    endforeach()
endfunction()
