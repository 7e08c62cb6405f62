# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# add_bpf_program(NAME SOURCE): compiles SOURCE for the BPF target and makes its skeleton. Makes the
# INTERFACE target NAME_skeleton; targets that link it can include "NAME.skel.h". Header
# dependencies come from the compiler, so a program is rebuilt exactly when one changes.

find_program(BPF_CLANG NAMES clang REQUIRED DOC "clang with the BPF target")
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin REQUIRED DOC "bpftool, makes the skeletons")

execute_process(
    COMMAND ${BPF_CLANG} --print-targets OUTPUT_VARIABLE clang_targets ERROR_QUIET)
if(NOT clang_targets MATCHES "bpf")
    message(FATAL_ERROR "${BPF_CLANG} has no BPF target: install a clang that has (tools/install-packages)")
endif()

function(add_bpf_program name source)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/skeletons/${name})
    set(skeleton ${folder}/${name}.skel.h)
    file(MAKE_DIRECTORY ${folder})

    # Debian keeps <asm/types.h> in the multiarch folder, which the BPF target does not search.
    add_custom_command(
        OUTPUT ${object}
        COMMAND
            ${BPF_CLANG} -target bpf -mcpu=v3 -std=gnu11 -O2 -g -Wall -Wextra -Wconversion -Wshadow
            -Werror -I${PROJECT_SOURCE_DIR}/bpf
            # The program is part of what is installed, which names no folder of the source tree.
            -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -fdebug-compilation-dir=.
            -isystem /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -MD -MF ${object}.d -MT ${object}
            -c ${source} -o ${object}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "BPF program ${name}"
        VERBATIM)
    add_custom_command(
        OUTPUT ${skeleton}
        COMMAND ${BPFTOOL} gen skeleton ${object} name ${name} > ${skeleton}.tmp
        COMMAND ${CMAKE_COMMAND} -E rename ${skeleton}.tmp ${skeleton}
        DEPENDS ${object}
        COMMENT "Skeleton of ${name}"
        VERBATIM)
    # One target runs the rule. Otherwise two consumers that are built in parallel would both run
    # it.
    add_custom_target(${name}_skeleton_made DEPENDS ${skeleton})

    add_library(${name}_skeleton INTERFACE)
    add_dependencies(${name}_skeleton ${name}_skeleton_made)
    target_include_directories(${name}_skeleton SYSTEM INTERFACE ${folder})
    target_link_libraries(${name}_skeleton INTERFACE PkgConfig::LIBBPF)
    set_property(TARGET ${name}_skeleton PROPERTY BPF_OBJECT ${object})
endfunction()
