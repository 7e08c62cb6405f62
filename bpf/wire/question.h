/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A question as one number: a keyed hash of its name, its type and its class. The key says whether
 * the case of the name's letters matters, as in names that are sent in mixed case to recognize
 * their replies (DNS 0x20).
 *
 * The hash is NH (Black, Halevi, Krawczyk, Krovetz, Rogaway: UMAC, CRYPTO 1999) over words of 64
 * bits. A second question has the same hash with a probability of at most 2^-32, even if somebody
 * who does not know the key chooses both questions. NH promises this for inputs of the same length,
 * so the name's length is hashed as well.
 */
#ifndef DNSGAUGE_WIRE_QUESTION_H
#define DNSGAUGE_WIRE_QUESTION_H

#include "bytes.h"
#include "dns.h"

#define QUESTION_WORDS 32 /* of the longest name; the last one holds the rest, 0 to 7 octets */

/* Random numbers, new for each trial or prepared file, and the mode of the hash. */
struct question_key {
    __u64 name[QUESTION_WORDS];
    __u64 tail;   /* for type, class and length */
    __u64 client; /* for the client's address, if clients have their own */
    __u64 port;   /* for the client's port, if clients have their own */
    __u64 exact;  /* QUESTION_EXACT; if 0, a capital letter equals the small one */
};

#define QUESTION_EXACT (~0ULL)

/* Returns NH's step: each half of the word plus its half of the key, multiplied. */
WIRE_FN __u64 question_mix(__u64 word, __u64 key)
{
    const __u32 low = (__u32)word + (__u32)key;
    const __u32 high = (__u32)(word >> 32) + (__u32)(key >> 32);

    return (__u64)low * high;
}

/* Returns eight octets of a name in the form in which they are hashed. */
WIRE_FN __u64 question_word(__u64 octets, const struct question_key *key)
{
    return octets | (dns_capitals8(octets) & ~key->exact);
}

/*
 * Sets *hash to the hash of the question of `message`, which has a whole header, and *name_length
 * to the length of its name. Returns false, and sets nothing, if no whole uncompressed question
 * follows the header.
 */
WIRE_FN int question_read(struct wire_cursor message, const struct question_key *key, __u64 *hash,
                          __u32 *name_length)
{
    struct wire_cursor name = message;
    struct wire_cursor behind;
    __u64 starts;
    __u64 rest;
    __u64 sum;
    __u32 length;
    __u32 words;
    __u8 *last;

    name.pos += DNS_HEADER_SIZE;
    behind = name;
    length = dns_skip_name(&behind, &starts);
    if (!length)
        return 0;
    /* The name's last eight octets. If the name is shorter, they begin in the header. */
    last = WIRE_ONE_POINTER(message.pos + DNS_HEADER_SIZE - 8 + WIRE_BOUNDED(length, DNS_NAME_MAX));
    if (last + 8 + DNS_QUESTION_TAIL > message.end)
        return 0;
    sum = question_mix((__u64)wire_get32(last + 8) << 32 | length, key->tail);
    /* The octets after the last whole word, preceded by zeros. */
    words = length >> 3;
    rest = question_word(wire_get64(last), key) & ((1ULL << 8 * (length & 7)) - 1);
    sum += question_mix(rest, key->name[words & (QUESTION_WORDS - 1)]);
    for (__u32 i = 0; i < QUESTION_WORDS - 1; i++) {
        if (i >= words || !wire_has(&name, 8))
            break;
        sum += question_mix(question_word(wire_get64(name.pos), key), key->name[i]);
        name.pos += 8;
    }
    *hash = sum;
    *name_length = length;
    return 1;
}

/* Does the same without the length. */
WIRE_FN int question_hash(struct wire_cursor message, const struct question_key *key, __u64 *hash)
{
    __u32 length;

    return question_read(message, key, hash, &length);
}

/*
 * Returns what the client adds to the hash of a question: NH's step over the last eight octets of
 * the client's address, or the four octets of an IPv4 address, and over the client's port, or 0 if
 * clients keep no port.
 */
WIRE_FN __u64 question_client(const __u8 *address, int is_ipv6, __u32 port,
                              const struct question_key *key)
{
    return question_mix(is_ipv6 ? wire_get64(address + 8) : wire_get32(address), key->client) +
           question_mix(port, key->port);
}

/* Mixes all bits of the sum by the last steps of MurmurHash3. */
WIRE_FN __u64 question_finish(__u64 sum)
{
    sum = (sum ^ sum >> 33) * 0xff51afd7ed558ccdULL;
    sum = (sum ^ sum >> 33) * 0xc4ceb9fe1a85ec53ULL;
    return sum ^ sum >> 33;
}

#define QUESTION_DATA_WORDS 8
#define QUESTION_DATA_MAX (8 * QUESTION_DATA_WORDS) /* octets of a record's data */

/*
 * Returns the hash of a record's data, the `size` octets at `data`, all of them before `end`. At
 * least eight octets must precede them. If the data are longer than QUESTION_DATA_MAX, only the
 * size is hashed. question_finish() distinguishes sums of hashes that would be equal with NH alone.
 */
WIRE_FN __u64 question_data(__u8 *data, __u32 size, const __u8 *end, const struct question_key *key)
{
    const __u32 whole =
        size <= QUESTION_DATA_MAX ? WIRE_BOUNDED(size, 2 * QUESTION_DATA_MAX - 1) : 0;
    const __u8 *last = WIRE_ONE_POINTER(data - 8 + whole);
    __u64 sum = question_mix(size, key->tail);

    if (last + 8 > end)
        return 0;
    sum += question_mix(wire_get64(last) & ((1ULL << 8 * (whole & 7)) - 1),
                        key->name[QUESTION_DATA_WORDS]);
    for (__u32 i = 0; i < QUESTION_DATA_WORDS; i++) {
        if (i >= whole >> 3 || data + 8 > end)
            break;
        sum += question_mix(wire_get64(data), key->name[i]);
        data += 8;
    }
    return question_finish(sum);
}

#endif
