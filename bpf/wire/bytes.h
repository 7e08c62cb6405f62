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

/* WIRE_FN declares a function whose result the caller must use, WIRE_PROC one without a result. */
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
 * Integers at any address. On the BPF target an access has the width of its type for any alignment;
 * the verifier refuses the access on machines that cannot do it. On other targets the attribute
 * tells the compiler.
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
 * Returns `value`, which earlier code has shown to be at most `mask` (a power of two less one).
 * Afterwards the verifier knows only this bound. So the many paths to this place, such as the turns
 * of a loop, become one state, and the verifier follows the rest of the program only once.
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
 * Returns `pointer`, and hides its sum from the compiler. Otherwise the compiler may check one sum,
 * and read through another sum of the same parts, which the verifier has not seen checked.
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

/* The place to read or write next, and the first byte beyond the data. */
struct wire_cursor {
    __u8 *pos;
    __u8 *end;
};

/* Returns whether the cursor has at least `size` more bytes. */
WIRE_FN int wire_has(const struct wire_cursor *cursor, __u32 size)
{
    return cursor->pos + size <= cursor->end;
}

/* Returns the value at `bytes` in memory order, to compare it or to sum it up. */
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

/* Returns the big-endian number at `bytes`. */
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
