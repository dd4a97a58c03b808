// Sums over the edges of a CSR graph, one row per thread.
#include <cstdint>

extern "C" __global__ void __launch_bounds__(256)
    gather_rows(const uint32_t *__restrict__ offsets, const uint32_t *__restrict__ columns,
                const uint32_t *__restrict__ x, uint32_t *__restrict__ y, uint32_t rows) {
    const uint32_t row = blockIdx.x * 256 + threadIdx.x;
    if (row < rows) {
        const uint32_t end = __ldg(&offsets[row + 1]);
        uint32_t sum = 0;
        for (uint32_t at = __ldg(&offsets[row]); at < end; ++at) {
            sum += __ldg(&x[__ldg(&columns[at])]);
        }
        y[row] = sum;
    }
}
