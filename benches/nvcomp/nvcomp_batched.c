/*
 * Decompresses a file of LZ4 blocks, zstd frames or deflate streams with nvCOMP's batched decoders, and prints the time of the device.
 *
 *   nvcomp_batched BLOCKS COPIES [RUNS]    measures RUNS times (21 by default) and prints the median
 *   nvcomp_batched BLOCKS COPIES serve     answers requests on standard input, line by line, for interleaved measurements:
 *                                          `run` prints the nanoseconds of a run, `check` prints `ok` or an error
 *
 * The memory of the device holds COPIES copies of the compressed blocks and of their output. Times are between two events around the
 * call, without transfers. The program verifies statuses and sizes of all blocks, and the output of up to eight copies by the checksums
 * of the file.
 *
 * Format of a file of blocks, in little endian:
 *
 *   Offset       Type      Content
 *   0            u8[8]     `VYREBLK1`
 *   8            u32       number of blocks N
 *   12           u32       format: 0 is LZ4, 1 zstd, 2 deflate without a header
 *   16           u64       bytes of compressed data
 *   24           u64       fingerprint of the text
 *   32 + 24 i    u64       offset of block i in the compressed data
 *   40 + 24 i    u32       compressed size of block i
 *   44 + 24 i    u32       size of block i
 *   48 + 24 i    u64       FNV-1a checksum of the output of block i
 *   32 + 24 N    u8[]      compressed data
 */
#include <cuda_runtime_api.h>
#include <nvcomp.h>
#include <nvcomp/deflate.h>
#include <nvcomp/lz4.h>
#include <nvcomp/zstd.h>

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t offset;
    uint32_t compressed_size;
    uint32_t size;
    uint64_t checksum;
} Block;

typedef struct {
    uint32_t count;
    uint32_t format;
    uint64_t data_bytes;
    uint64_t fingerprint;
    Block *blocks;
    uint8_t *data;
} BlocksFile;

typedef struct Codec Codec;

/* Buffers on the device. */
typedef struct {
    const Codec *codec;
    size_t copies;
    size_t chunks;
    size_t largest;
    size_t output_stride; /* bytes of output of one block, padded */
    size_t output_bytes;  /* bytes of output of all blocks */
    uint8_t *data;
    uint8_t *output;
    void **inputs;
    void **outputs;
    size_t *compressed_sizes;
    size_t *sizes;
    size_t *found_sizes;
    nvcompStatus_t *statuses;
    void *scratch;
    size_t scratch_bytes;
    cudaStream_t stream;
    cudaEvent_t before;
    cudaEvent_t after;
} Device;

/* Functions of nvCOMP for one format. */
struct Codec {
    const char *name;
    size_t alignment; /* of compressed data, output and scratch memory */
    nvcompStatus_t (*scratch_bytes)(Device *device);
    nvcompStatus_t (*decompress)(const Device *device);
};

/* The functions of all formats have the same arguments but for the type of their options. */
#define CODEC(name, Name)                                                                                                          \
    static nvcompStatus_t name##_scratch_bytes(Device *device) {                                                                   \
        return nvcompBatched##Name##DecompressGetTempSize(device->chunks, device->largest,                                         \
                                                          nvcompBatched##Name##DecompressDefaultOpts, &device->scratch_bytes,      \
                                                          device->output_bytes, device->stream);                                   \
    }                                                                                                                              \
    static nvcompStatus_t name##_decompress(const Device *device) {                                                                \
        return nvcompBatched##Name##DecompressAsync((const void *const *)device->inputs, device->compressed_sizes, device->sizes,  \
                                                    device->found_sizes, device->chunks, device->scratch, device->scratch_bytes,   \
                                                    device->outputs, nvcompBatched##Name##DecompressDefaultOpts, device->statuses, \
                                                    device->stream);                                                               \
    }                                                                                                                              \
    static Codec name##_codec(void) {                                                                                              \
        return (Codec){#name, nvcomp##Name##RequiredDecompressionAlignment, name##_scratch_bytes, name##_decompress};              \
    }

CODEC(lz4, LZ4)
CODEC(zstd, Zstd)
CODEC(deflate, Deflate)

#define ALIGNMENT 16
#define CHECKED_COPIES 8

static void fail(const char *what, const char *why) {
    fprintf(stderr, "nvcomp_batched: %s: %s\n", what, why);
    exit(2);
}

static void cuda(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fail(what, cudaGetErrorString(error));
    }
}

static void nvcomp(nvcompStatus_t status, const char *what) {
    if (status != nvcompSuccess) {
        char number[32];
        snprintf(number, sizeof number, "status %d", (int)status);
        fail(what, number);
    }
}

static void *allocate(size_t bytes) {
    void *memory = calloc(1, bytes == 0 ? 1 : bytes);
    if (memory == NULL) {
        fail("memory", "out of memory");
    }
    return memory;
}

static void *allocate_on_device(size_t bytes) {
    void *memory = NULL;
    cuda(cudaMalloc(&memory, bytes == 0 ? 1 : bytes), "cudaMalloc");
    return memory;
}

static void read_exactly(FILE *file, void *to, size_t bytes) {
    if (fread(to, 1, bytes, file) != bytes) {
        fail("file of blocks", "it is truncated");
    }
}

static BlocksFile read_blocks(const char *path) {
    BlocksFile blocks;
    char magic[8];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail(path, "it cannot be opened");
    }
    read_exactly(file, magic, sizeof magic);
    if (memcmp(magic, "VYREBLK1", 8) != 0) {
        fail(path, "it is not a file of blocks");
    }
    read_exactly(file, &blocks.count, 4);
    read_exactly(file, &blocks.format, 4);
    read_exactly(file, &blocks.data_bytes, 8);
    read_exactly(file, &blocks.fingerprint, 8);
    blocks.blocks = allocate((size_t)blocks.count * sizeof(Block));
    for (uint32_t at = 0; at < blocks.count; at++) {
        Block *block = &blocks.blocks[at];
        read_exactly(file, &block->offset, 8);
        read_exactly(file, &block->compressed_size, 4);
        read_exactly(file, &block->size, 4);
        read_exactly(file, &block->checksum, 8);
        if (block->offset % ALIGNMENT != 0 || block->offset > blocks.data_bytes ||
            block->compressed_size > blocks.data_bytes - block->offset) {
            fail(path, "a block is outside the data, or not aligned");
        }
    }
    blocks.data = allocate(blocks.data_bytes);
    read_exactly(file, blocks.data, blocks.data_bytes);
    fclose(file);
    return blocks;
}

static uint64_t checksum_of(const uint8_t *bytes, size_t count) {
    uint64_t checksum = 0xcbf29ce484222325u;
    for (size_t at = 0; at < count; at++) {
        checksum = (checksum ^ bytes[at]) * 0x100000001b3u;
    }
    return checksum;
}

static void *uploaded(const void *from, size_t bytes) {
    void *memory = allocate_on_device(bytes);
    cuda(cudaMemcpy(memory, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy to the device");
    return memory;
}

static Device prepare(const BlocksFile *file, const Codec *codec, size_t copies) {
    Device device;
    memset(&device, 0, sizeof device);
    device.codec = codec;
    device.copies = copies;
    device.chunks = copies * file->count;
    for (uint32_t at = 0; at < file->count; at++) {
        if (file->blocks[at].size > device.largest) {
            device.largest = file->blocks[at].size;
        }
    }
    device.output_stride = (device.largest + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    size_t data_stride = (file->data_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    device.data = allocate_on_device(data_stride * copies);
    device.output = allocate_on_device(device.output_stride * device.chunks);
    for (size_t copy = 0; copy < copies; copy++) {
        cuda(cudaMemcpy(device.data + copy * data_stride, file->data, file->data_bytes, cudaMemcpyHostToDevice),
             "cudaMemcpy to the device");
    }

    void **inputs = allocate(device.chunks * sizeof(void *));
    void **outputs = allocate(device.chunks * sizeof(void *));
    size_t *compressed_sizes = allocate(device.chunks * sizeof(size_t));
    size_t *sizes = allocate(device.chunks * sizeof(size_t));
    for (size_t chunk = 0; chunk < device.chunks; chunk++) {
        const Block *block = &file->blocks[chunk % file->count];
        inputs[chunk] = device.data + chunk / file->count * data_stride + block->offset;
        outputs[chunk] = device.output + chunk * device.output_stride;
        compressed_sizes[chunk] = block->compressed_size;
        sizes[chunk] = block->size;
        device.output_bytes += block->size;
    }
    device.inputs = uploaded(inputs, device.chunks * sizeof(void *));
    device.outputs = uploaded(outputs, device.chunks * sizeof(void *));
    device.compressed_sizes = uploaded(compressed_sizes, device.chunks * sizeof(size_t));
    device.sizes = uploaded(sizes, device.chunks * sizeof(size_t));
    device.found_sizes = allocate_on_device(device.chunks * sizeof(size_t));
    device.statuses = allocate_on_device(device.chunks * sizeof(nvcompStatus_t));
    free(inputs);
    free(outputs);
    free(compressed_sizes);
    free(sizes);

    cuda(cudaStreamCreate(&device.stream), "cudaStreamCreate");
    cuda(cudaEventCreate(&device.before), "cudaEventCreate");
    cuda(cudaEventCreate(&device.after), "cudaEventCreate");
    nvcomp(codec->scratch_bytes(&device), "DecompressGetTempSize");
    device.scratch = allocate_on_device(device.scratch_bytes);
    return device;
}

static uint64_t run(const Device *device) {
    float milliseconds = 0;
    cuda(cudaEventRecord(device->before, device->stream), "cudaEventRecord");
    nvcomp(device->codec->decompress(device), "DecompressAsync");
    cuda(cudaEventRecord(device->after, device->stream), "cudaEventRecord");
    cuda(cudaEventSynchronize(device->after), "cudaEventSynchronize");
    cuda(cudaEventElapsedTime(&milliseconds, device->before, device->after), "cudaEventElapsedTime");
    return (uint64_t)((double)milliseconds * 1e6);
}

/* Runs once into stale memory, and writes the first error of the result to `problem`, or an empty string. */
static void check(const Device *device, const BlocksFile *file, char *problem, size_t capacity) {
    problem[0] = 0;
    size_t part = device->output_stride * file->count;
    cuda(cudaMemset(device->output, 0xa5, part * device->copies), "cudaMemset");
    cuda(cudaMemset(device->found_sizes, 0xa5, device->chunks * sizeof(size_t)), "cudaMemset");
    cuda(cudaMemset(device->statuses, 0xa5, device->chunks * sizeof(nvcompStatus_t)), "cudaMemset");
    cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    run(device);

    size_t *found = allocate(device->chunks * sizeof(size_t));
    nvcompStatus_t *statuses = allocate(device->chunks * sizeof(nvcompStatus_t));
    cuda(cudaMemcpy(found, device->found_sizes, device->chunks * sizeof(size_t), cudaMemcpyDeviceToHost), "cudaMemcpy");
    cuda(cudaMemcpy(statuses, device->statuses, device->chunks * sizeof(nvcompStatus_t), cudaMemcpyDeviceToHost),
         "cudaMemcpy");
    for (size_t chunk = 0; chunk < device->chunks && problem[0] == 0; chunk++) {
        const Block *block = &file->blocks[chunk % file->count];
        if (statuses[chunk] != nvcompSuccess || found[chunk] != block->size) {
            snprintf(problem, capacity, "block %zu: status %d, %zu bytes instead of %" PRIu32, chunk, (int)statuses[chunk],
                     found[chunk], block->size);
        }
    }
    free(found);
    free(statuses);

    /* The first copy is compared with the checksums, and others with it: the last one, and some between them. */
    uint8_t *first = allocate(part), *output = allocate(part);
    cuda(cudaMemcpy(first, device->output, part, cudaMemcpyDeviceToHost), "cudaMemcpy");
    for (uint32_t number = 0; number < file->count && problem[0] == 0; number++) {
        const Block *block = &file->blocks[number];
        if (checksum_of(first + number * device->output_stride, block->size) != block->checksum) {
            snprintf(problem, capacity, "block %" PRIu32 " of copy 0 has a wrong checksum", number);
        }
    }
    size_t checked = device->copies < CHECKED_COPIES ? device->copies : CHECKED_COPIES;
    for (size_t at = 1; at < checked && problem[0] == 0; at++) {
        size_t copy = at * (device->copies - 1) / (checked - 1);
        cuda(cudaMemcpy(output, device->output + copy * part, part, cudaMemcpyDeviceToHost), "cudaMemcpy");
        for (uint32_t number = 0; number < file->count && problem[0] == 0; number++) {
            size_t from = number * device->output_stride;
            if (memcmp(output + from, first + from, file->blocks[number].size) != 0) {
                snprintf(problem, capacity, "block %" PRIu32 " of copy %zu differs from copy 0", number, copy);
            }
        }
    }
    free(first);
    free(output);
}

static int by_size(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static void serve(const Device *device, const BlocksFile *file) {
    char line[64], problem[256];
    nvcompProperties_t properties;
    nvcomp(nvcompGetProperties(&properties), "nvcompGetProperties");
    printf("ready nvCOMP %u.%u.%u blocks %zu bytes %zu\n", properties.version / 1000, properties.version % 1000 / 100,
           properties.version % 100, device->chunks, device->output_bytes);
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strcmp(line, "run\n") == 0) {
            printf("%" PRIu64 "\n", run(device));
        } else if (strcmp(line, "check\n") == 0) {
            check(device, file, problem, sizeof problem);
            printf("%s\n", problem[0] == 0 ? "ok" : problem);
        } else {
            printf("neither `run` nor `check`\n");
        }
        fflush(stdout);
    }
}

static void measure(const Device *device, const BlocksFile *file, size_t runs) {
    char problem[256];
    uint64_t *times = allocate(runs * sizeof(uint64_t));
    for (int warm = 0; warm < 3; warm++) {
        run(device);
    }
    for (size_t at = 0; at < runs; at++) {
        times[at] = run(device);
    }
    check(device, file, problem, sizeof problem);
    if (problem[0] != 0) {
        fail("the output is wrong", problem);
    }
    qsort(times, runs, sizeof(uint64_t), by_size);
    uint64_t median = times[runs / 2];
    /* Format, blocks, bytes, runs, median and minimum in nanoseconds, GB/s of output by the median. */
    printf("%s\t%zu\t%zu\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%.1f\n", device->codec->name, device->chunks, device->output_bytes, runs, median,
           times[0], (double)device->output_bytes / (double)median);
    free(times);
}

int main(int count, char **arguments) {
    if (count < 3 || count > 4) {
        fprintf(stderr, "usage: nvcomp_batched BLOCKS COPIES [RUNS|serve]\n");
        return 2;
    }
    BlocksFile file = read_blocks(arguments[1]);
    long copies = strtol(arguments[2], NULL, 10);
    int is_server = count == 4 && strcmp(arguments[3], "serve") == 0;
    long runs = count == 4 && !is_server ? strtol(arguments[3], NULL, 10) : 21;
    if (copies < 1 || runs < 1) {
        fail("arguments", "copies and runs are numbers from 1");
    }
    const Codec codecs[] = {lz4_codec(), zstd_codec(), deflate_codec()};
    if (file.format >= sizeof codecs / sizeof codecs[0]) {
        fail(arguments[1], "its format is unknown");
    }
    const Codec *codec = &codecs[file.format];
    if (ALIGNMENT % codec->alignment != 0) {
        fail(codec->name, "it needs a larger alignment");
    }
    Device device = prepare(&file, codec, (size_t)copies);
    if (is_server) {
        serve(&device, &file);
    } else {
        measure(&device, &file, (size_t)runs);
    }
    return 0;
}
