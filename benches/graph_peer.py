#!/usr/bin/env python3
"""Reads an edge list and runs an algorithm of a Python library: the peers of benches/graph-commands.py.

    benches/graph_peer.py LIBRARY ALGORITHM FILE [FROM [TO]]

LIBRARY is scipy, igraph, networkx or graphblas. Prints one number: of components, of rows, of cores, of triangles, or a distance. A library
that lacks the algorithm ends with exit code 3. scipy, igraph and graphblas get the edges from numpy, whose reader is faster than their own.
"""

import sys

MISSING = 3


def edges(file):
    """Sources, targets, weights and the number of nodes."""
    import numpy

    table = numpy.loadtxt(file, dtype=numpy.int64, ndmin=2)
    weights = table[:, 2] if table.shape[1] > 2 else None
    return table[:, 0], table[:, 1], weights, int(table[:, :2].max()) + 1


class Scipy:
    """Compressed sparse rows and scipy.sparse.csgraph. Parallel edges have the smallest weight, not the sum."""

    def __init__(self, file):
        import numpy
        import scipy.sparse

        one, other, weights, self.nodes = edges(file)
        if weights is None:
            weights = numpy.ones(len(one), dtype=numpy.int8)
        else:
            order = numpy.lexsort((weights, other, one))
            one, other, weights = one[order], other[order], weights[order]
            is_first = numpy.ones(len(one), dtype=bool)
            is_first[1:] = (one[1:] != one[:-1]) | (other[1:] != other[:-1])
            one, other, weights = one[is_first], other[is_first], weights[is_first]
        self.graph = scipy.sparse.csr_array((weights, (one, other)), shape=(self.nodes, self.nodes))

    def components(self, connection="weak"):
        from scipy.sparse.csgraph import connected_components

        return connected_components(self.graph, connection=connection, return_labels=False)

    def scc(self):
        return self.components("strong")

    def reach(self, sources):
        from scipy.sparse.csgraph import breadth_first_order

        return sum(len(breadth_first_order(self.graph, source, return_predecessors=False)) - 1 for source in sources)

    def path(self, sources, target=None):
        import numpy
        from scipy.sparse.csgraph import dijkstra

        distances = dijkstra(self.graph, indices=sources[0])
        return int(numpy.isfinite(distances).sum()) if target is None else int(distances[target])


class Igraph:
    """The C library igraph."""

    def __init__(self, file):
        import igraph
        import numpy

        one, other, self.weights, self.nodes = edges(file)
        self.graph = igraph.Graph(self.nodes, numpy.column_stack((one, other)), directed=True)

    def components(self):
        return len(self.graph.connected_components(mode="weak"))

    def scc(self):
        return len(self.graph.connected_components(mode="strong"))

    def toposort(self):
        return len(self.graph.topological_sorting())

    def reach(self, sources):
        return sum(len(self.graph.subcomponent(source, mode="out")) - 1 for source in sources)

    def path(self, sources, target=None):
        found = self.graph.distances(sources[0], target, weights=self.weights, algorithm="dijkstra")[0]
        return sum(distance != float("inf") for distance in found) if target is None else int(found[0])

    def undirected(self):
        self.graph.to_undirected()
        return self.graph.simplify()

    def kcore(self):
        return max(self.undirected().coreness())

    def triangles(self):
        return len(self.undirected().list_triangles())


class Networkx:
    """Dictionaries of Python."""

    def __init__(self, file):
        import networkx

        self.library = networkx
        with open(file) as lines:
            columns = len(lines.readline().split())
        data = [("weight", int)] if columns > 2 else False
        self.graph = networkx.read_edgelist(file, create_using=networkx.DiGraph, nodetype=int, data=data)
        # Numbers that do not occur are nodes without edges.
        self.graph.add_nodes_from(range(max(self.graph.nodes) + 1))

    def components(self):
        return self.library.number_weakly_connected_components(self.graph)

    def scc(self):
        return self.library.number_strongly_connected_components(self.graph)

    def toposort(self):
        return sum(1 for _ in self.library.topological_sort(self.graph))

    def reach(self, sources):
        return sum(len(self.library.descendants(self.graph, source)) for source in sources)

    def path(self, sources, target=None):
        if target is not None:
            return self.library.dijkstra_path_length(self.graph, sources[0], target)
        return len(self.library.single_source_dijkstra_path_length(self.graph, sources[0]))

    def undirected(self):
        graph = self.graph.to_undirected()
        graph.remove_edges_from(list(self.library.selfloop_edges(graph)))
        return graph

    def kcore(self):
        return max(self.library.core_number(self.undirected()).values())

    def triangles(self):
        return sum(self.library.triangles(self.undirected()).values()) // 3


class Graphblas:
    """SuiteSparse:GraphBLAS through python-graphblas."""

    def __init__(self, file):
        import graphblas
        import numpy

        self.library, self.numpy = graphblas, numpy
        one, other, _, self.nodes = edges(file)
        # The algorithms below need no weights.
        self.graph = graphblas.Matrix.from_coo(one, other, 1, nrows=self.nodes, ncols=self.nodes)

    def reach(self, sources):
        count = len(sources)
        rows = self.numpy.arange(count)
        front = self.library.Matrix.from_coo(rows, sources, True, nrows=count, ncols=self.nodes, dtype=bool)
        known = front.dup()
        while front.nvals > 0:
            front(~known.S, replace=True) << self.library.semiring.any_pair[bool](front @ self.graph)
            known(front.S) << True
        return known.nvals - count

    def triangles(self):
        either = self.library.binary.any(self.graph | self.graph.T).new()
        lower = self.library.select.tril(either, -1).new()
        product = lower.dup(dtype=int)
        product(lower.S, replace=True) << self.library.semiring.plus_pair(lower @ lower.T)
        return product.reduce_scalar().new().value


LIBRARIES = {"scipy": Scipy, "igraph": Igraph, "networkx": Networkx, "graphblas": Graphblas}


def main():
    if len(sys.argv) < 4 or sys.argv[1] not in LIBRARIES:
        sys.exit(__doc__)
    library, algorithm, file, *rest = sys.argv[1:]
    run = getattr(LIBRARIES[library], algorithm, None)
    if run is None:
        sys.exit(MISSING)
    arguments = [[int(source) for source in rest[0].split(",")], *map(int, rest[1:])] if rest else []
    print(run(LIBRARIES[library](file), *arguments))


main()
