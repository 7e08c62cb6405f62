/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The test namespace of the dns64perf tools: a name's first label is an IPv4 address in four
 * groups of three digits, 010-000-000-255.dns64perf.test is 10.0.0.255 (papers: Lencse 2020
 * section III.B; Lencse, Georgescu, Kadobayashi 2017 section 6.2).
 *
 * The address, as a number, is the name's index. So a CIDR prefix selects a contiguous range.
 */
#ifndef DNSGAUGE_WIRE_TEST_NAME_H
#define DNSGAUGE_WIRE_TEST_NAME_H

#include "bytes.h"

/* "ddd-ddd-ddd-ddd" */
#define TEST_NAME_LABEL 15

/*
 * The label is read as two overlapping words of eight characters, "ddd-ddd-" and "-ddd-ddd". The
 * code checks all bytes of a word at once: a branch for each digit would be slow, and would give
 * the verifier thousands of paths.
 */
#define TEST_NAME_FIRST 0x3030302d3030302dULL  /* "000-000-" */
#define TEST_NAME_SECOND 0x2d3030302d303030ULL /* "-000-000" */
/* A byte must be 0 to 9 in the place of a digit, and 0 in the place of a dash. Adding the limit
 * sets the top bit of a byte that is larger. A byte whose top bit is already set would carry, so
 * the check includes that bit. */
#define TEST_NAME_FIRST_LIMIT 0x7676767f7676767fULL
#define TEST_NAME_SECOND_LIMIT 0x7f7676767f767676ULL
#define TEST_NAME_TOP_BITS 0x8080808080808080ULL

/* Returns the value of three digits, one in each of the three lowest bytes of `digits`. */
WIRE_FN __u32 test_name_octet(__u64 digits)
{
    return (__u32)(digits >> 16 & 15) * 100 + (__u32)(digits >> 8 & 15) * 10 + (__u32)(digits & 15);
}

/* Reads the TEST_NAME_LABEL bytes at `label`. Returns true, and sets *address (host order), if the
 * bytes have the form. Otherwise returns false, and sets nothing. */
WIRE_FN int test_name_read(const __u8 *label, __u32 *address)
{
    const __u64 first = wire_get64(label) ^ TEST_NAME_FIRST;
    const __u64 second = wire_get64(label + TEST_NAME_LABEL - 8) ^ TEST_NAME_SECOND;
    const __u64 odd =
        (first | (first + TEST_NAME_FIRST_LIMIT)) | (second | (second + TEST_NAME_SECOND_LIMIT));
    const __u32 a = test_name_octet(first >> 40);
    const __u32 b = test_name_octet(first >> 8);
    const __u32 c = test_name_octet(second >> 32);
    const __u32 d = test_name_octet(second);

    if (odd & TEST_NAME_TOP_BITS || (a | b | c | d) > 255)
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

/* Returns the place of a name among the hundred names of its block. Multiplying by 61, which is
 * coprime to 100, spreads neighbours over the block. */
WIRE_FN __u32 test_name_rank(__u32 address)
{
    return address % 100 * 61 % 100;
}

/*
 * Returns whether this name owns an AAAA record if `share` percent of the names do.
 *
 * The result depends only on the name, so that caches and repeated runs agree. The share is exact:
 * in every aligned block of 100 addresses exactly `share` names, spread over the block, own a
 * record.
 */
WIRE_FN int test_name_has_aaaa(__u32 address, __u32 share)
{
    return test_name_rank(address) < share;
}

/* Returns the same as a mask, all ones or zero. It has no branch: the verifier would follow both
 * ways of a branch through all later code. */
WIRE_FN __u64 test_name_aaaa_mask(__u32 address, __u32 share)
{
    __s64 behind = (__s64)test_name_rank(address) - share;

#ifdef __bpf__
    asm volatile("" : "+r"(behind)); /* otherwise the compiler makes a branch */
#endif
    return (__u64)(behind >> 63);
}

#endif
