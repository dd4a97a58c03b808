// Groups of 8, 16 or 32 threads, each with a number of rounds of its own; in each round the threads of a group exchange
// something. A block has several groups, so those of a warp part ways: whatever they do together has the mask of the group.
//
// Kernels take blocks of any multiple of the group's size up to 128.
#include <cstdint>

constexpr uint32_t ALL = 0xffffffffu;
constexpr uint32_t MOST_THREADS = 128;

// A group within its warp.
template <uint32_t SIZE> struct Tile {
    uint32_t first; // The lane of the warp that the group begins with.
    uint32_t lane;
    uint32_t mask;

    __device__ __forceinline__ Tile() {
        const uint32_t in_warp = threadIdx.x % 32;
        first = in_warp / SIZE * SIZE;
        lane = in_warp % SIZE;
        mask = (SIZE == 32 ? ALL : (1u << SIZE % 32) - 1) << first;
    }
};

// The sum of the group by shuffles.
template <uint32_t SIZE> struct ReduceByShuffles {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t round) {
        const uint32_t mixed = state ^ word;
        uint32_t total = mixed;
#pragma unroll
        for (uint32_t distance = SIZE / 2; distance > 0; distance /= 2) {
            total += __shfl_xor_sync(mask, total, distance, SIZE);
        }
        const uint32_t next = mixed * 0x85ebca6bu + (total ^ round);
        return next ^ (next >> 13);
    }
};

// The sum of the group by the instruction for it; only where the mask is that of the group.
template <uint32_t SIZE> struct ReduceByInstruction {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t round) {
        const uint32_t mixed = state ^ word;
        const uint32_t total = __reduce_add_sync(mask, mixed);
        const uint32_t next = mixed * 0x85ebca6bu + (total ^ round);
        return next ^ (next >> 13);
    }
};

// A vote, and the state of a lane that the vote names.
template <uint32_t SIZE> struct Vote {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &tile, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t round) {
        const uint32_t bits = SIZE == 32 ? ALL : (1u << SIZE % 32) - 1;
        const uint32_t votes = __ballot_sync(mask, (state ^ word) & 1) >> tile.first & bits;
        const uint32_t other = __shfl_sync(mask, state, tile.lane ^ (__popc(votes) & 7), SIZE);
        const uint32_t next = (other ^ word) * 0x85ebca6bu + (votes ^ round);
        return next ^ (next >> 13);
    }
};

// An exchange through shared memory, with a barrier before and after.
template <uint32_t SIZE> struct Exchange {
    static __device__ __forceinline__ uint32_t step(const Tile<SIZE> &, uint32_t mask, uint32_t state, uint32_t word,
                                                    uint32_t round) {
        __shared__ uint32_t slots[MOST_THREADS];
        const uint32_t mixed = state ^ word;
        slots[threadIdx.x] = mixed;
        __syncwarp(mask);
        const uint32_t other = slots[threadIdx.x ^ (1 + round % 7)];
        __syncwarp(mask);
        const uint32_t next = mixed * 0x85ebca6bu + (other ^ round);
        return next ^ (next >> 13);
    }
};

// Each group goes its own way.
template <template <uint32_t> class Step, uint32_t SIZE>
static __device__ __forceinline__ void own_ways(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,
                                                uint32_t *__restrict__ out, uint32_t threads) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= threads) {
        return;
    }
    const Tile<SIZE> tile;
    const uint32_t rounds = trips[i / SIZE];
    uint32_t state = i * 0x9e3779b1u + 0x7f4a7c15u;
    for (uint32_t round = 0; round < rounds; ++round) {
        state = Step<SIZE>::step(tile, tile.mask, state, table[state >> 16], round);
    }
    out[i] = state;
}

// The groups of a warp stay together for as many rounds as the longest has; a group that is done does nothing that counts.
template <template <uint32_t> class Step, uint32_t SIZE>
static __device__ __forceinline__ void together(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,
                                                uint32_t *__restrict__ out, uint32_t threads) {
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const Tile<SIZE> tile;
    const uint32_t rounds = i < threads ? trips[i / SIZE] : 0;
    const uint32_t longest = __reduce_max_sync(ALL, rounds);
    uint32_t state = i * 0x9e3779b1u + 0x7f4a7c15u;
    for (uint32_t round = 0; round < longest; ++round) {
        const uint32_t next = Step<SIZE>::step(tile, ALL, state, table[state >> 16], round);
        state = round < rounds ? next : state;
    }
    if (i < threads) {
        out[i] = state;
    }
}

#define KERNEL(NAME, WAY, STEP, SIZE)                                                                   \
    extern "C" __global__ void __launch_bounds__(MOST_THREADS)                                          \
        NAME(const uint32_t *__restrict__ trips, const uint32_t *__restrict__ table,                    \
             uint32_t *__restrict__ out, uint32_t threads) {                                            \
        WAY<STEP, SIZE>(trips, table, out, threads);                                                    \
    }

#define KERNELS(SIZE)                                                                                   \
    KERNEL(reduce_shuffles_##SIZE, own_ways, ReduceByShuffles, SIZE)                                    \
    KERNEL(reduce_instruction_##SIZE, own_ways, ReduceByInstruction, SIZE)                              \
    KERNEL(reduce_together_##SIZE, together, ReduceByShuffles, SIZE)                                    \
    KERNEL(vote_##SIZE, own_ways, Vote, SIZE)                                                           \
    KERNEL(vote_together_##SIZE, together, Vote, SIZE)                                                  \
    KERNEL(exchange_##SIZE, own_ways, Exchange, SIZE)                                                   \
    KERNEL(exchange_together_##SIZE, together, Exchange, SIZE)

KERNELS(8)
KERNELS(16)
KERNELS(32)
