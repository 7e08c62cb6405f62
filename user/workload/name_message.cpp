// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/name_message.h"

#include "workload/octet_writer.h"

#include "wire/test_name.h"

#include <array>
#include <span>

namespace dnsgauge
{

std::vector<std::uint8_t> name_message(const NameFormat &format)
{
    OctetWriter message;
    message.put16(0); // the transaction ID
    message.put16(format.recursion_desired ? DNS_RD : 0);
    message.put16(1);
    message.put_zeros(4);
    message.put16(format.edns_size ? 1 : 0);

    std::array<std::uint8_t, 1 + TEST_NAME_LABEL> label{TEST_NAME_LABEL};
    test_name_write(label.data() + 1, 0);
    message.put(label);
    message.put(std::span(format.zone.wire).first(format.zone.length));
    message.put16(format.type);
    message.put16(DNS_CLASS_IN);

    if (format.edns_size) {
        message.put8(0);
        message.put16(DNS_TYPE_OPT);
        message.put16(*format.edns_size);
        message.put16(0);
        message.put16(format.dnssec_ok ? DNS_OPT_DO : 0);
        message.put16(0);
    }
    return message.take();
}

} // namespace dnsgauge
