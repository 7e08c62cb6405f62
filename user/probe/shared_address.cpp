// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "probe/shared_address.h"

#include "machine/text_files.h"

#include <algorithm>
#include <functional>
#include <string>

namespace dnsgauge
{

std::vector<SharingSocket> sharing_sockets(const std::vector<ServerSocket> &sockets,
                                           std::uint16_t port,
                                           const std::map<std::uint64_t, SharingSocket> &read)
{
    std::map<std::string, std::vector<SharingSocket>> by_address;
    for (const ServerSocket &socket : sockets) {
        if (socket.port != port || socket.is_connected)
            continue;
        const auto inode = leading_number<std::uint64_t>(socket.inode).value_or(0);
        const auto known = read.find(inode);
        SharingSocket one = known == read.end() ? SharingSocket{} : known->second;
        one.inode = inode;
        one.address = to_string(socket.address);
        by_address[one.address].push_back(std::move(one));
    }
    std::vector<SharingSocket> sharing;
    for (const auto &[address, those] : by_address)
        if (those.size() > 1 && std::ranges::any_of(those, &SharingSocket::queries))
            sharing.insert(sharing.end(), those.begin(), those.end());
    std::ranges::stable_sort(sharing, std::greater<>(), &SharingSocket::queries);
    return sharing;
}

} // namespace dnsgauge
