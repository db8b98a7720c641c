#pragma once

/// Marks functions that use the vector units of the processor at hand: several versions are compiled, and the best is
/// chosen when the program starts. What such a function calls must be inlined into it. (The thread sanitizer would look
/// at the choice, which is made before it begins.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define HEADSCOPE_VECTOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define HEADSCOPE_VECTOR
#endif
#define HEADSCOPE_INLINE inline __attribute__((always_inline))
#define HEADSCOPE_LAMBDA __attribute__((always_inline))
