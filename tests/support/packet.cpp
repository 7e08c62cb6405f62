// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace dnsgauge::testing
{
namespace
{

template <typename... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

constexpr std::uint8_t protocol_udp = 17;

void put8(Bytes &out, std::size_t value)
{
    out.push_back(static_cast<std::uint8_t>(value & 0xff));
}

void put16(Bytes &out, std::size_t value)
{
    put8(out, value >> 8);
    put8(out, value);
}

void put32(Bytes &out, std::size_t value)
{
    put16(out, value >> 16);
    put16(out, value);
}

void put(Bytes &out, std::span<const std::uint8_t> bytes)
{
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void set16(Bytes &bytes, std::size_t at, std::uint16_t value)
{
    bytes.at(at) = static_cast<std::uint8_t>(value >> 8);
    bytes.at(at + 1) = static_cast<std::uint8_t>(value & 0xff);
}

std::uint16_t ethernet_type(const Layer *inner)
{
    if (!inner)
        return 0;
    return std::visit(Overloaded{
                          [](const Vlan &) -> std::uint16_t { return 0x8100; },
                          [](const Ipv4 &) -> std::uint16_t { return 0x0800; },
                          [](const Ipv6 &) -> std::uint16_t { return 0x86dd; },
                          [](const auto &) -> std::uint16_t { return 0; },
                      },
                      *inner);
}

// Sets the checksum of the UDP datagram in `inner`, unless the test has set one.
template <typename Address>
void finish_udp(const Layer *inner, Bytes &datagram, const Address &source, const Address &target)
{
    const auto *udp = inner ? std::get_if<Udp>(inner) : nullptr;
    if (!udp || udp->checksum)
        return;
    const std::uint16_t sum =
        reference_checksum(datagram, reference_pseudo_sum(source, target, datagram.size()));
    set16(datagram, 6, sum ? sum : 0xffff);
}

std::uint8_t protocol_of(const Layer *inner)
{
    return inner && std::holds_alternative<Udp>(*inner) ? protocol_udp : 0;
}

// wrap() puts the header of a layer before `carried`, the octets of its inner layers.

Bytes wrap(const Ethernet &ethernet, const Layer *inner, const Bytes &carried)
{
    Bytes out;
    put(out, ethernet.target);
    put(out, ethernet.source);
    put16(out, ethernet.type.value_or(ethernet_type(inner)));
    put(out, carried);
    return out;
}

Bytes wrap(const Vlan &vlan, const Layer *inner, const Bytes &carried)
{
    Bytes out;
    put16(out, vlan.tag);
    put16(out, vlan.type.value_or(ethernet_type(inner)));
    put(out, carried);
    return out;
}

Bytes wrap(const Ipv4 &ip, const Layer *inner, Bytes carried)
{
    Bytes out;
    put8(out, ip.version_and_words);
    put8(out, ip.traffic_class);
    put16(out, ip.length ? *ip.length : 20 + carried.size());
    put16(out, ip.id);
    put16(out, ip.fragment);
    put8(out, ip.ttl);
    put8(out, ip.protocol.value_or(protocol_of(inner)));
    put16(out, 0);
    put(out, ip.source);
    put(out, ip.target);
    set16(out, 10, ip.checksum ? *ip.checksum : reference_checksum(out));
    finish_udp(inner, carried, ip.source, ip.target);
    put(out, carried);
    return out;
}

Bytes wrap(const Ipv6 &ip, const Layer *inner, Bytes carried)
{
    Bytes out;
    put32(out, ip.version_class_and_flow);
    put16(out, ip.length ? *ip.length : carried.size());
    put8(out, ip.next_header.value_or(protocol_of(inner)));
    put8(out, ip.hop_limit);
    put(out, ip.source);
    put(out, ip.target);
    finish_udp(inner, carried, ip.source, ip.target);
    put(out, carried);
    return out;
}

Bytes wrap(const Udp &udp, const Layer *, const Bytes &carried)
{
    Bytes out;
    put16(out, udp.source_port);
    put16(out, udp.target_port);
    put16(out, udp.length ? *udp.length : 8 + carried.size());
    put16(out, udp.checksum.value_or(0));
    put(out, carried);
    return out;
}

Bytes wrap(const Payload &payload, const Layer *, const Bytes &carried)
{
    Bytes out = payload.bytes;
    put(out, carried);
    return out;
}

void put_records(Bytes &out, const std::vector<DnsRecord> &records)
{
    for (const DnsRecord &record : records) {
        put(out, record.owner);
        put16(out, record.type);
        put16(out, record.dns_class);
        put32(out, record.ttl);
        put16(out, record.length ? *record.length : record.data.size());
        put(out, record.data);
    }
}

} // namespace

Packet operator/(Layer outer, Layer inner)
{
    return {.layers = {std::move(outer), std::move(inner)}};
}

Packet operator/(Packet outer, Layer inner)
{
    outer.layers.push_back(std::move(inner));
    return outer;
}

Bytes Packet::bytes() const
{
    Bytes carried;
    const Layer *inner = nullptr;
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        carried = std::visit([&](const auto &l) { return wrap(l, inner, carried); }, *layer);
        inner = &*layer;
    }
    return carried;
}

std::uint16_t reference_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum)
{
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
        const unsigned low = i + 1 < bytes.size() ? bytes[i + 1] : 0;
        sum += bytes[i] * 256U + low;
        if (sum > 0xffff)
            sum = (sum & 0xffff) + (sum >> 16);
    }
    while (sum > 0xffff)
        sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(~sum & 0xffff);
}

std::uint32_t reference_pseudo_sum(std::span<const std::uint8_t> source,
                                   std::span<const std::uint8_t> target, std::size_t udp_length)
{
    std::uint32_t sum = protocol_udp;
    for (const auto address : {source, target})
        for (std::size_t i = 0; i < address.size(); i += 2)
            sum += address[i] * 256U + address[i + 1];
    return sum + static_cast<std::uint32_t>(udp_length);
}

Bytes dns_name(std::string_view text)
{
    Bytes name;
    while (!text.empty() && text != ".") {
        const std::string_view label = text.substr(0, text.find('.'));
        put8(name, label.size());
        name.insert(name.end(), label.begin(), label.end());
        text.remove_prefix(std::min(label.size() + 1, text.size()));
    }
    name.push_back(0);
    return name;
}

Bytes DnsMessage::bytes() const
{
    Bytes out;
    put16(out, id);
    put16(out, flags);
    put16(out, question_count ? *question_count : questions.size());
    put16(out, answer_count ? *answer_count : answers.size());
    put16(out, authority_count ? *authority_count : authorities.size());
    put16(out, additional_count ? *additional_count : additionals.size());
    for (const DnsQuestion &question : questions) {
        put(out, question.name);
        put16(out, question.type);
        put16(out, question.dns_class);
    }
    put_records(out, answers);
    put_records(out, authorities);
    put_records(out, additionals);
    return out;
}

DnsRecord dns_opt(std::uint32_t ttl, Bytes options, std::uint16_t udp_size)
{
    return {
        .owner = {0}, .type = 41, .dns_class = udp_size, .ttl = ttl, .data = std::move(options)};
}

std::string hexdump(std::span<const std::uint8_t> bytes)
{
    std::string text;
    for (std::size_t line = 0; line < bytes.size(); line += 16) {
        const auto row = bytes.subspan(line, std::min<std::size_t>(16, bytes.size() - line));
        text += fmt::format("{:04x} ", line);
        for (const std::uint8_t byte : row)
            text += fmt::format(" {:02x}", byte);
        text.append(3 * (16 - row.size()) + 2, ' ');
        for (const std::uint8_t byte : row)
            text += std::isprint(byte) ? static_cast<char>(byte) : '.';
        text += '\n';
    }
    return text;
}

Bytes from_hex(std::string_view text)
{
    Bytes bytes;
    int high = -1;
    for (std::size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)))
            continue;
        const auto digit = std::string_view("0123456789abcdef").find(c);
        if (digit == std::string_view::npos)
            throw std::invalid_argument(fmt::format("'{}' is no hexadecimal digit", c));
        if (high < 0) {
            high = static_cast<int>(digit);
        } else {
            put8(bytes, static_cast<std::size_t>(high) * 16 + digit);
            high = -1;
        }
    }
    if (high >= 0)
        throw std::invalid_argument("an odd number of hexadecimal digits");
    return bytes;
}

} // namespace dnsgauge::testing
