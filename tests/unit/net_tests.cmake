# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests of the room net, for this folder's CMakeLists.txt to include.
add_unit_test(frame_template net)
