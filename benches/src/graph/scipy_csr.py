# Answers commands on standard input: `load NODES EDGES` followed by the edges as pairs of words, `construct`, `transpose`. Prints
# the seconds of the task.
import sys
import time

import numpy
import scipy
from scipy.sparse import _sparsetools

print(f"scipy {scipy.__version__}, numpy {numpy.__version__}", flush=True)
commands = sys.stdin.buffer
while True:
    words = commands.readline().split()
    if not words:
        break
    if words[0] == b"load":
        nodes, edges = int(words[1]), int(words[2])
        pairs = numpy.frombuffer(commands.read(8 * edges), dtype="<u4").reshape(edges, 2).astype(numpy.int32)
        rows, columns = numpy.ascontiguousarray(pairs[:, 0]), numpy.ascontiguousarray(pairs[:, 1])
        data = numpy.ones(edges, dtype=numpy.int8)
        offsets, targets, out = numpy.empty(nodes + 1, numpy.int32), numpy.empty(edges, numpy.int32), numpy.empty(edges, numpy.int8)
        _sparsetools.coo_tocsr(nodes, nodes, edges, rows, columns, data, offsets, targets, out)
        print("loaded", flush=True)
        continue
    start = time.perf_counter()
    # New arrays in each run, as for the other contenders.
    new = numpy.empty(nodes + 1, numpy.int32), numpy.empty(edges, numpy.int32), numpy.empty(edges, numpy.int8)
    if words[0] == b"construct":
        _sparsetools.coo_tocsr(nodes, nodes, edges, rows, columns, data, *new)
    else:
        _sparsetools.csr_tocsc(nodes, nodes, offsets, targets, out, *new)
    print(time.perf_counter() - start, flush=True)
