"""Round trips through pyarrow: python pyarrow_round_trip.py VYRE [FIXTURES]

Writes edge tables in many encodings with pyarrow, converts each with the command VYRE, and compares the edges. Then reads with
pyarrow what VYRE writes. With FIXTURES, the small tables are kept in that folder, where the tests of the crate read them.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

vyre = sys.argv[1]
folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp())
scratch = pathlib.Path(tempfile.mkdtemp())

NUMBERS = ([0, 0, 1, 2, 4], [1, 2, 2, 3, 0])
NAMES = (["main", "main", "init", 'say "hi", twice', "é x"], ["init", "log", "log", "main", "main"])
WEIGHTS = [7, 5, 1, 2, 9]


def number_table(kind, titles=("source", "target")):
    columns = [pa.array(column, kind) for column in NUMBERS]
    return pa.table({titles[0]: columns[0], titles[1]: columns[1], "weight": pa.array(WEIGHTS, pa.int32())})


def name_table(kind, titles=("source", "target")):
    columns = [pa.array(column, pa.string()).cast(kind) if not pa.types.is_dictionary(kind)
               else pa.array(column, pa.string()).dictionary_encode() for column in NAMES]
    return pa.table({titles[0]: columns[0], titles[1]: columns[1]})


def write_arrow(table, path, compression=None):
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_file(path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=2)


def write_stream(table, path, compression=None):
    options = ipc.IpcWriteOptions(compression=compression)
    with ipc.new_stream(path, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=2)


tables = {"i32": number_table(pa.int32()), "i64": number_table(pa.int64()), "u32": number_table(pa.uint32()),
          "u8": number_table(pa.uint8(), ("src", "dst")), "text": name_table(pa.string()),
          "large": name_table(pa.large_string(), ("from", "to")), "view": name_table(pa.string_view()),
          "binary": name_table(pa.binary()), "dictionary": name_table(pa.dictionary(pa.int32(), pa.string()))}
files = {}
for title, table in tables.items():
    for codec in ["none", "snappy", "zstd", "gzip", "lz4"]:
        path = folder / f"{title}_{codec}.parquet"
        pq.write_table(table, path, compression=codec, row_group_size=2)
        files[path] = title
    path = folder / f"{title}_v2.parquet"
    pq.write_table(table, path, data_page_version="2.0", version="2.6", use_dictionary=False)
    files[path] = title
    for codec in [None, "lz4", "zstd"]:
        path = folder / f"{title}_{codec}.arrow"
        write_arrow(table, path, codec)
        files[path] = title
        path = folder / f"{title}_{codec}.arrows"
        write_stream(table, path, codec)
        files[path] = title
    if title != "view":
        path = folder / f"{title}.feather"
        feather.write_feather(table, path)
        files[path] = title


def rows(table):
    def text(value):
        return value.decode() if isinstance(value, bytes) else value
    return sorted(zip(*[[text(value) for value in column.to_pylist()] for column in table.columns]))


def run(*args):
    result = subprocess.run([vyre, "graph", *map(str, args)], capture_output=True)
    assert result.returncode in (0, 1), (args, result.stderr.decode())
    return result.stdout


failures = 0
for path, title in files.items():
    for extension, read in [("parquet", pq.read_table), ("arrow", lambda path: ipc.open_file(path).read_all()),
                            ("arrows", lambda path: ipc.open_stream(path).read_all())]:
        out = scratch / f"out.{extension}"
        try:
            run("convert", path, "-o", out)
            found = read(out)
            if rows(found) != rows(tables[title]):
                raise AssertionError(f"{rows(found)} instead of {rows(tables[title])}")
        except Exception as error:
            failures += 1
            print("FAILED", path.name, extension, error)
print(f"{len(files)} tables, {failures} failures")

calls = folder / "text_snappy.parquet"
roles = scratch / "roles.csv"
roles.write_text('node,role\nmain,source\nlog,sink\n')
for command in [["bfs", "--nodes", roles], ["reach", "--sources", "main"], ["components"], ["scc"], ["pagerank"], ["kcore"],
                ["triangles"], ["path", "--from", "main"], ["toposort"], ["dominators", "--from", "main"],
                ["taint", "--nodes", roles, "--witness"], ["info"], ["components", "--count"],
                ["taint", "--nodes", roles, "--count"]]:
    name, *rest = command
    written = scratch / "result.parquet"
    run(name, calls, *rest, "--format", "parquet", "-o", written)
    table = pq.read_table(written)
    found = run(name, calls, *rest, "--format", "csv").decode().splitlines()
    assert table.num_rows == len(found) - 1, (command, table.num_rows, len(found))
    assert table.column_names == found[0].split(","), (command, table.column_names, found[0])
    print(" ".join(map(str, command[:1])), dict(zip(table.column_names, map(str, table.schema.types))))
    print("  ", json.dumps(table.to_pylist()[:1]))
sys.exit(failures != 0)
