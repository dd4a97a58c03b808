// Polynomials at every word, by Horner's rule.
#include <cstdint>

constexpr uint32_t THREADS = 256;

// Degree 16: few enough multiplications to be limited by memory.
extern "C" __global__ void __launch_bounds__(THREADS)
    polynomial_16(const uint32_t *__restrict__ input, uint32_t *__restrict__ out, uint32_t words) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < words) {
        const uint32_t x = input[i];
        uint32_t y = 0x9e3779b1u;
        y = y * x + 0x85ebca77u;
        y = y * x + 0xc2b2ae3du;
        y = y * x + 0x27d4eb2fu;
        y = y * x + 0x165667b1u;
        y = y * x + 0xd6e8feb8u;
        y = y * x + 0x7feb352du;
        y = y * x + 0x846ca68bu;
        y = y * x + 0xcc9e2d51u;
        y = y * x + 0x1b873593u;
        y = y * x + 0xe6546b64u;
        y = y * x + 0x85ebca6bu;
        y = y * x + 0xc2b2ae35u;
        y = y * x + 5u;
        y = y * x + 17u;
        y = y * x + 257u;
        y = y * x + 65537u;
        out[i] = y;
    }
}

// Degree 128 in a loop: limited by arithmetic and by the unrolling of the compiler.
extern "C" __global__ void __launch_bounds__(THREADS)
    polynomial_128(const uint32_t *__restrict__ input, uint32_t *__restrict__ out, uint32_t words) {
    const uint32_t i = blockIdx.x * THREADS + threadIdx.x;
    if (i < words) {
        const uint32_t x = input[i];
        uint32_t y = 1;
        for (uint32_t k = 0; k < 128; ++k) {
            y = y * x + (k ^ 0x9e3779b1u);
        }
        out[i] = y;
    }
}
