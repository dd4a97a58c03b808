// Exclusive or of every word with a constant.
#include <cstdint>

constexpr uint32_t KEY = 0x9e3779b1u;
constexpr uint32_t THREADS = 256;

// One word per thread.
extern "C" __global__ void __launch_bounds__(THREADS)
    xor_words(const uint32_t *__restrict__ input, uint32_t *__restrict__ out, uint32_t words) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < words) {
        out[i] = input[i] ^ KEY;
    }
}

static __device__ __forceinline__ uint4 with_key(uint4 v) {
    return make_uint4(v.x ^ KEY, v.y ^ KEY, v.z ^ KEY, v.w ^ KEY);
}

// VECTORS vectors of four words per thread. All loads precede the first store, so that they are in flight together.
template <uint32_t VECTORS, bool STREAMING>
static __device__ __forceinline__ void xor_vectors(const uint4 *__restrict__ input, uint4 *__restrict__ out,
                                                   uint32_t words) {
    const uint32_t vectors = words / 4;
    const uint32_t first = blockIdx.x * (VECTORS * THREADS) + threadIdx.x;
    uint4 values[VECTORS];
#pragma unroll
    for (uint32_t vector = 0; vector < VECTORS; ++vector) {
        const uint32_t i = first + vector * THREADS;
        if (i < vectors) {
            values[vector] = STREAMING ? __ldcs(&input[i]) : input[i];
        }
    }
#pragma unroll
    for (uint32_t vector = 0; vector < VECTORS; ++vector) {
        const uint32_t i = first + vector * THREADS;
        if (i < vectors) {
            if (STREAMING) {
                __stcs(&out[i], with_key(values[vector]));
            } else {
                out[i] = with_key(values[vector]);
            }
        }
    }
}

#define XOR_VECTORS(NAME, VECTORS, STREAMING)                                                            \
    extern "C" __global__ void __launch_bounds__(THREADS)                                               \
        NAME(const uint4 *__restrict__ input, uint4 *__restrict__ out, uint32_t words) {                \
        xor_vectors<VECTORS, STREAMING>(input, out, words);                                              \
    }

XOR_VECTORS(xor_vectors_1, 1, false)
XOR_VECTORS(xor_vectors_2, 2, false)
XOR_VECTORS(xor_vectors_4, 4, false)
XOR_VECTORS(xor_vectors_1_streaming, 1, true)
XOR_VECTORS(xor_vectors_4_streaming, 4, true)
