// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the places and numbers of names are used for: each use has others.
#pragma once

namespace dnsgauge
{

enum NameUse : unsigned {
    use_registered,
    use_suffix_zone,
    use_node,
    use_wildcard,
    use_shared_servers,
    use_in_bailiwick,
    use_name_servers,
    use_hoster,
    use_server,
    use_server_ipv6,
    use_chain,
    use_dangling,
    use_target,
    use_target_zone,
    use_addresses,
    use_address,
    use_text_octets,
    use_text,
    use_exchange,
    use_ttl,
    use_loss,
    use_type = 0x1000, // and the type's number
};

} // namespace dnsgauge
