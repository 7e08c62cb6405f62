// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command.h"

#include "host/skeleton.h"
#include "options/access.h"

namespace dnsgauge
{

Command with_verbose(Command command)
{
    const auto verbose = std::make_shared<bool>(false);
    append(command.options,
           {{"verbose", OptionGroup::other, "", "Show libbpf's messages", flag(*verbose)}});
    command.run = [verbose, run = std::move(command.run)](const std::vector<std::string> &words) {
        set_libbpf_verbosity(*verbose);
        return run(words);
    };
    return command;
}

} // namespace dnsgauge
