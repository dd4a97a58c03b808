#!/usr/bin/env python3
"""Peak anonymous memory of `vyre unpack --list` and of extraction over a set of archives, as a table.

    benches/unpack-memory.py VYRE [--threads N] [--allowed MIB] [--shown N] [--crafted] [PATH...]

PATH is an archive or a folder of archives. `--crafted` adds archives that are made for the measurement: 200,000 entries in every
format that this machine can write, large contents, many nested archives, damaged tables. Memory is RssAnon of /proc, sampled every
millisecond, so that short peaks may be missed. The exit status is 1 if a peak exceeds the allowed memory of all threads.
"""

import argparse
import gzip
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

ENTRIES = 200_000
LARGE = 400 << 20


def peak_of(command):
    """Runs a command; returns its exit code and the peak of its anonymous memory in MiB."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while True:
        try:
            with open(f"/proc/{child.pid}/status") as status:
                for line in status:
                    if line.startswith("RssAnon"):
                        peak = max(peak, int(line.split()[1]))
        except OSError:
            pass
        if child.poll() is not None:
            return child.returncode, peak / 1024
        time.sleep(0.001)


def names(count):
    return (f"package/src/module{number // 100:04}/part-{number:06}.js" for number in range(count))


def tar_of(path, files, mode="w"):
    with tarfile.open(path, mode, format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def small_files(count=ENTRIES):
    return ((name, b"export const value = %d;\n" % number) for number, name in enumerate(names(count)))


def text(size):
    """Text that compresses well, but not without limit."""
    state = 1
    part = bytearray()
    while len(part) < 1 << 16:
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        part.append(97 + (state >> 60))
    return bytes(part) * (size >> 16)


def asar_of(path, files):
    tree, data = {}, io.BytesIO()
    for name, content in files:
        *folders, own = name.split("/")
        folder = tree
        for part in folders:
            folder = folder.setdefault(part, {"files": {}})["files"]
        folder[own] = {"size": len(content), "offset": str(data.tell())}
        data.write(content)
    header = json.dumps({"files": tree}).encode()
    padded = (len(header) + 3) // 4 * 4
    with open(path, "wb") as out:
        out.write(struct.pack("<IIII", 4, padded + 8, padded + 4, len(header)))
        out.write(header.ljust(padded, b"\0") + data.getvalue())


def craft(folder):
    """Writes the crafted archives."""
    place = lambda name: os.path.join(folder, name)
    tar_of(place("many.tar"), small_files())
    tar_of(place("many.tar.gz"), small_files(), "w:gz")
    with zipfile.ZipFile(place("many.zip"), "w", zipfile.ZIP_DEFLATED) as zip_file:
        for name, data in small_files():
            zip_file.writestr(name, data)
    with open(place("many.zip"), "rb") as whole, open(place("many-without-directory.zip"), "wb") as cut:
        data = whole.read()
        cut.write(data[: data.index(b"PK\x01\x02")])
    asar_of(place("many.asar"), small_files())
    if shutil.which("bsdtar"):
        for suffix, form in [("7z", "7zip"), ("cpio", "newc"), ("iso", "iso9660")]:
            made = subprocess.run(["bsdtar", "-cf", place(f"many.{suffix}"), f"--format={form}", f"@{place('many.tar')}"])
            if made.returncode != 0:
                print(f"bsdtar does not write {form}", file=sys.stderr)
    tar_of(place("one-name.tar.gz"), (("package/index.js", data) for _, data in small_files(20_000)), "w:gz")
    large = text(LARGE)
    with gzip.open(place("large.gz"), "wb", 1) as out:
        out.write(large)
    tar_of(place("large.tar"), [("large", large)])
    for tool, suffix in [("xz", "xz"), ("zstd", "zst"), ("bzip2", "bz2")]:
        if shutil.which(tool):
            with open(place(f"large.tar.{suffix}"), "wb") as out:
                subprocess.run([tool, "-1", "-c", place("large.tar")], stdout=out, check=True)
    with zipfile.ZipFile(place("large.zip"), "w", zipfile.ZIP_DEFLATED, compresslevel=1) as zip_file:
        zip_file.writestr("large", large)
        zip_file.write(place("large.gz"), "large.gz")
    os.remove(place("large.tar"))
    inner = io.BytesIO()
    tar_of_stream(inner, small_files(100))
    with zipfile.ZipFile(place("nested.zip"), "w", zipfile.ZIP_DEFLATED) as zip_file:
        for number in range(1000):
            zip_file.writestr(f"lib/{number}.tgz", inner.getvalue())
    with gzip.open(place("bomb.gz"), "wb", 9) as out:
        out.write(bytes(1 << 30))


def tar_of_stream(out, files):
    with tarfile.open(fileobj=out, mode="w:gz", format=tarfile.USTAR_FORMAT) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


def archives_of(path):
    if not os.path.isdir(path):
        return [path]
    found = [os.path.join(folder, name) for folder, _, files in os.walk(path) for name in files]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("vyre")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--allowed", type=float, default=64, help="MiB for each thread")
    parser.add_argument("--shown", type=int, default=30, help="number of rows of the table")
    parser.add_argument("--crafted", action="store_true")
    parser.add_argument("--work", default=".", help="folder for crafted archives and extracted files")
    args = parser.parse_intermixed_args()
    work = tempfile.mkdtemp(prefix="unpack-memory-", dir=args.work)
    try:
        archives = [archive for path in args.paths for archive in archives_of(path)]
        if args.crafted:
            os.mkdir(os.path.join(work, "crafted"))
            craft(os.path.join(work, "crafted"))
            archives += archives_of(os.path.join(work, "crafted"))
        rows = []
        for archive in archives:
            command = [args.vyre, "unpack", archive, "--quiet", "--threads", str(args.threads)]
            listed, list_peak = peak_of([*command, "--list"])
            out = os.path.join(work, "out")
            extracted, extract_peak = peak_of([*command, "-o", out])
            shutil.rmtree(out, ignore_errors=True)
            size = os.path.getsize(archive) / (1 << 20)
            rows.append((max(list_peak, extract_peak), archive, size, listed, list_peak, extracted, extract_peak))
    finally:
        shutil.rmtree(work, ignore_errors=True)
    allowed = args.allowed * args.threads
    crashed = [row for row in rows if row[3] not in (0, 1, 2) or row[5] not in (0, 1, 2)]
    above = [row for row in rows if row[0] > allowed]
    rows.sort(reverse=True)
    print("| archive | size MiB | exit of list | list MiB | exit of extraction | extraction MiB |\n|---|---|---|---|---|---|")
    for _, archive, size, listed, list_peak, extracted, extract_peak in rows[: args.shown]:
        name = os.path.basename(archive)
        print(f"| {name} | {size:.1f} | {listed} | {list_peak:.1f} | {extracted} | {extract_peak:.1f} |")
    print(f"\n{len(rows)} archives, {args.threads} threads: {len(above)} above {allowed:.0f} MiB, {len(crashed)} crashed")
    return 1 if above or crashed else 0


if __name__ == "__main__":
    sys.exit(main())
