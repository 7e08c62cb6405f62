/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The test namespace of the dns64perf tools: a name's first label is an IPv4 address in four
 * groups of three digits, 010-000-000-255.dns64perf.test is 10.0.0.255 (papers: Lencse 2020
 * section III.B; Lencse, Georgescu, Kadobayashi 2017 section 6.2).
 *
 * The address, as a number, is the name's index: a CIDR prefix selects a contiguous range.
 */
#ifndef DNSGAUGE_WIRE_TEST_NAME_H
#define DNSGAUGE_WIRE_TEST_NAME_H

#include "bytes.h"

/* "ddd-ddd-ddd-ddd" */
#define TEST_NAME_LABEL 15

/* One group of three digits; its value is above 255 when the group is not an octet. */
WIRE_FN __u32 test_name_octet(const __u8 *digits)
{
    const __u32 hundreds = (__u32)digits[0] - '0';
    const __u32 tens = (__u32)digits[1] - '0';
    const __u32 ones = (__u32)digits[2] - '0';

    /* Anything but a digit wraps to a large number or is 10 and more. */
    if (hundreds > 2 || tens > 9 || ones > 9)
        return 256;
    return hundreds * 100 + tens * 10 + ones;
}

/* Reads the TEST_NAME_LABEL bytes at `label`. True, and the address in host order, when they
 * have the form; false otherwise, with *address untouched. */
WIRE_FN int test_name_read(const __u8 *label, __u32 *address)
{
    const __u32 a = test_name_octet(label);
    const __u32 b = test_name_octet(label + 4);
    const __u32 c = test_name_octet(label + 8);
    const __u32 d = test_name_octet(label + 12);

    if (a > 255 || b > 255 || c > 255 || d > 255)
        return 0;
    if (label[3] != '-' || label[7] != '-' || label[11] != '-')
        return 0;
    *address = a << 24 | b << 16 | c << 8 | d;
    return 1;
}

WIRE_PROC void test_name_put_octet(__u8 *digits, __u32 octet)
{
    digits[0] = (__u8)('0' + octet / 100);
    digits[1] = (__u8)('0' + octet / 10 % 10);
    digits[2] = (__u8)('0' + octet % 10);
}

/* Writes the TEST_NAME_LABEL bytes of `address` (host order) at `label`. */
WIRE_PROC void test_name_write(__u8 *label, __u32 address)
{
    test_name_put_octet(label, address >> 24);
    test_name_put_octet(label + 4, address >> 16 & 255);
    test_name_put_octet(label + 8, address >> 8 & 255);
    test_name_put_octet(label + 12, address & 255);
    label[3] = '-';
    label[7] = '-';
    label[11] = '-';
}

/*
 * Does this name own an AAAA record when `share` percent of the names do?
 *
 * A function of the name alone, so that caches and repeated runs agree, and exact: every aligned
 * block of 100 addresses has exactly `share` names that do. Multiplying by 61, which is coprime
 * to 100, spreads them over the block instead of putting them first.
 */
WIRE_FN int test_name_has_aaaa(__u32 address, __u32 share)
{
    return address % 100 * 61 % 100 < share;
}

#endif
