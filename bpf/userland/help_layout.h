// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lays out --help of programs that keep their options in CLI11, in the way of dnsgauge's own
// --help.
#pragma once

#include <initializer_list>
#include <map>
#include <string>

namespace CLI
{
class App;
}

namespace dnsgauge
{

// Sets --help of the program and of all its commands: lines of a terminal's width, the required
// options first and the others by group, ranges and defaults behind the description. Behind a
// command's own footer comes the program's.
void lay_out_help(CLI::App &app);

// Has the options that are added from now on stand under this heading.
void begin_group(CLI::App &app, const std::string &title);

// Has --help name what options take, where that is a text: {"--output", "FILE"}. Holds for the
// program and for all its commands.
void name_values(CLI::App &app, const std::map<std::string, std::string> &names);

// Sets the footer of a command: lines that show how it is called.
void show_examples(CLI::App &command, std::initializer_list<const char *> lines);

} // namespace dnsgauge
