/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the records of a message say, beyond what a judgement needs: signatures, and the part of the
 * RCODE that the header has no room for. */
#ifndef DNSGAUGE_WIRE_RECORDS_H
#define DNSGAUGE_WIRE_RECORDS_H

#include "bytes.h"
#include "dns.h"

#define RECORDS_MESSAGE_MAX 4095 /* octets of a message that are looked at */
#define RECORDS_STEPS_MAX 64     /* labels and records that are looked at */

/* What records_read() returns: flags, and the upper eight bits of the extended RCODE. */
#define RECORDS_WHOLE 1U /* all records were read */
#define RECORDS_RRSIG 2U /* the answer section has an RRSIG record */
#define RECORDS_RCODE_SHIFT 8
#define RECORDS_RCODE 0xff00U

/*
 * Reads `message`, which has a whole header, up to its end or to RECORDS_STEPS_MAX. In the one flat
 * loop a step is a label of a name, or what follows a name: the rest of a question or of a record.
 */
WIRE_FN __u32 records_read(struct wire_cursor message)
{
    __u32 offset = DNS_HEADER_SIZE;
    __u32 questions;
    __u32 answers;
    __u32 others;
    __u32 found = 0;

    if (!wire_has(&message, DNS_HEADER_SIZE))
        return 0;
    questions = wire_get16(message.pos + 4);
    answers = wire_get16(message.pos + 6);
    others = (__u32)wire_get16(message.pos + 8) + wire_get16(message.pos + 10);
    for (int i = 0; i < RECORDS_STEPS_MAX; i++) {
        const __u8 *at;
        __u32 label;
        __u32 type;

        if (!questions && !answers && !others)
            return found | RECORDS_WHOLE;
        if (offset > RECORDS_MESSAGE_MAX)
            return found;
        offset = WIRE_BOUNDED(offset, RECORDS_MESSAGE_MAX);
        at = message.pos + offset;
        if (at + 1 > message.end)
            return found;
        label = *at;
        if (label && label <= DNS_LABEL_MAX) {
            offset += 1 + label;
            continue;
        }
        if (label && label < DNS_POINTER >> 8)
            return found;
        /* The name ends here, in the root or in a pointer. */
        at += label ? 2 : 1;
        offset += label ? 2 : 1;
        if (questions) {
            questions--;
            offset += DNS_QUESTION_TAIL;
            continue;
        }
        if (at + DNS_RECORD_TAIL > message.end)
            return found;
        type = wire_get16(at);
        if (type == DNS_TYPE_RRSIG && answers)
            found |= RECORDS_RRSIG;
        if (type == DNS_TYPE_OPT && !answers)
            found |= (__u32)at[4] << RECORDS_RCODE_SHIFT;
        offset += DNS_RECORD_TAIL + wire_get16(at + 8);
        if (answers)
            answers--;
        else
            others--;
    }
    return found;
}

#endif
