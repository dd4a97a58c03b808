# Answers commands on standard input: `load NODES EDGES SINKS` followed by the offsets, targets and sinks as words, and `search
# THREADS SOURCES` followed by the sources as words. Prints seconds, the number of findings and the sum of their hashes.
import sys
import time

import graphblas as gb
import numpy
import suitesparse_graphblas

print(f"python-graphblas {gb.__version__}, SuiteSparse:GraphBLAS {suitesparse_graphblas.__version__}", flush=True)
commands = sys.stdin.buffer


def words(count):
    return numpy.frombuffer(commands.read(4 * count), dtype="<u4").astype(numpy.uint64)


def levels(sources):
    """Levels of the sinks for each source: one boolean matrix product per level, masked by the nodes without a level."""
    count = len(sources)
    front = gb.Matrix.from_coo(numpy.arange(count), sources, True, nrows=count, ncols=nodes, dtype=bool)
    found = gb.Matrix(numpy.int32, count, nodes)
    found(front.S) << 0
    level = 0
    while front.nvals > 0:
        level += 1
        front(~found.S, replace=True) << gb.semiring.any_pair[bool](front @ graph)
        found(front.S) << level
    return found[:, sinks].new()


while True:
    line = commands.readline().split()
    if not line:
        break
    if line[0] == b"load":
        nodes, edges, count = (int(word) for word in line[1:])
        offsets, targets = words(nodes + 1), words(edges)
        sinks = words(count)
        graph = gb.Matrix.from_csr(offsets, targets, True, ncols=nodes, dtype=bool)
        graph.wait()
        print("loaded", flush=True)
        continue
    gb.ss.config["nthreads"] = int(line[1])
    sources = words(int(line[2]))
    start = time.perf_counter()
    found = levels(sources)
    found.wait()
    seconds = time.perf_counter() - start
    row, column, depth = found.to_coo()
    key = sources[row] << numpy.uint64(32) | sinks[column]
    mixed = (key ^ key >> numpy.uint64(31)) * numpy.uint64(0x9E3779B97F4A7C15)
    hashes = (mixed ^ mixed >> numpy.uint64(29)) * (2 * depth.astype(numpy.uint64) + numpy.uint64(1))
    print(seconds, len(depth), int(hashes.sum(dtype=numpy.uint64)), flush=True)
