/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Bytes on the wire: the cursor, and big-endian loads and stores.
 *
 * Everything under wire/ is plain C that compiles unchanged as BPF, C11 and C++20: no map, no
 * helper, no libc. The kernel programs and user space run the same code.
 *
 * The rule of this folder: check, then advance. A function that fails leaves the cursor where it
 * was, so `pos <= end` always holds, and the verifier sees each check right before its access.
 */
#ifndef DNSGAUGE_WIRE_BYTES_H
#define DNSGAUGE_WIRE_BYTES_H

#include <linux/types.h>

/* WIRE_FN: the result must be looked at. WIRE_PROC: there is none. */
#ifdef __cplusplus
#define WIRE_FN [[nodiscard]] static inline
#define WIRE_PROC static inline
#define WIRE_ASSERT static_assert
#else
#define WIRE_FN static inline __attribute__((always_inline, unused, warn_unused_result))
#define WIRE_PROC static inline __attribute__((always_inline, unused))
#define WIRE_ASSERT _Static_assert
#endif

/*
 * Integers at any address. On the BPF target an access has the width of its type whatever the
 * alignment (the verifier refuses it on machines that cannot); elsewhere the compiler is told.
 */
#ifdef __bpf__
#define WIRE_ANYWHERE __attribute__((may_alias))
#else
#define WIRE_ANYWHERE __attribute__((may_alias, aligned(1)))
#endif
typedef __u16 WIRE_ANYWHERE wire_any16;
typedef __u32 WIRE_ANYWHERE wire_any32;
typedef __u64 WIRE_ANYWHERE wire_any64;

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WIRE_BE16(x) ((__u16)__builtin_bswap16((__u16)(x)))
#define WIRE_BE32(x) ((__u32)__builtin_bswap32((__u32)(x)))
#define WIRE_BE64(x) ((__u64)__builtin_bswap64((__u64)(x)))
#else
#define WIRE_BE16(x) ((__u16)(x))
#define WIRE_BE32(x) ((__u32)(x))
#define WIRE_BE64(x) ((__u64)(x))
#endif

/*
 * `value`, which the code before has shown to be at most `mask` (a power of two less one). What the
 * verifier knows of it is reset to exactly that, so that the many ways there (the turns of a loop)
 * become one state, and the rest of the program is verified once and not once for each.
 */
#ifdef __bpf__
#define WIRE_BOUNDED(value, mask)                                                                  \
    ({                                                                                             \
        __u64 bounded_ = (value);                                                                  \
        asm volatile("" : "+r"(bounded_));                                                         \
        (__u32)(bounded_ & (mask));                                                                \
    })
#else
#define WIRE_BOUNDED(value, mask) (value)
#endif

/*
 * `pointer`, of whose sum the compiler then knows nothing. It would otherwise be free to check one
 * sum and to read behind another one of the same parts, which to the verifier has not been checked.
 */
#ifdef __bpf__
#define WIRE_ONE_POINTER(pointer)                                                                  \
    ({                                                                                             \
        __u8 *pointer_ = (pointer);                                                                \
        asm volatile("" : "+r"(pointer_));                                                         \
        pointer_;                                                                                  \
    })
#else
#define WIRE_ONE_POINTER(pointer) (pointer)
#endif

/* Where we read or write, and the first byte that is not ours. */
struct wire_cursor {
    __u8 *pos;
    __u8 *end;
};

/* Does the cursor hold at least `size` more bytes? */
WIRE_FN int wire_has(const struct wire_cursor *cursor, __u32 size)
{
    return cursor->pos + size <= cursor->end;
}

/* The value at `bytes` as it lies in memory, for comparing and summing. */
WIRE_FN __u16 wire_raw16(const __u8 *bytes)
{
    return *(const wire_any16 *)(const void *)bytes;
}

WIRE_FN __u32 wire_raw32(const __u8 *bytes)
{
    return *(const wire_any32 *)(const void *)bytes;
}

WIRE_FN __u64 wire_raw64(const __u8 *bytes)
{
    return *(const wire_any64 *)(const void *)bytes;
}

/* The big-endian number at `bytes`. */
WIRE_FN __u16 wire_get16(const __u8 *bytes)
{
    return WIRE_BE16(wire_raw16(bytes));
}

WIRE_FN __u32 wire_get32(const __u8 *bytes)
{
    return WIRE_BE32(wire_raw32(bytes));
}

WIRE_FN __u64 wire_get64(const __u8 *bytes)
{
    return WIRE_BE64(wire_raw64(bytes));
}

/* Stores `value` big-endian at `bytes`. */
WIRE_PROC void wire_put16(__u8 *bytes, __u16 value)
{
    *(wire_any16 *)(void *)bytes = WIRE_BE16(value);
}

WIRE_PROC void wire_put32(__u8 *bytes, __u32 value)
{
    *(wire_any32 *)(void *)bytes = WIRE_BE32(value);
}

WIRE_PROC void wire_put64(__u8 *bytes, __u64 value)
{
    *(wire_any64 *)(void *)bytes = WIRE_BE64(value);
}

#endif
