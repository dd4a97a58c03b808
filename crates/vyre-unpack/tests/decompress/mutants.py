"""Reads archives with Python's tarfile or zipfile and with bsdtar.

Each line of the input is the path of an archive. Each line of the output is a JSON object with the files that each reader sees,
as [name in hexadecimal digits, size, CRC-32], or null if the reader reports an error.
"""

import gzip
import io
import json
import subprocess
import sys
import tarfile
import zipfile
import zlib

MAX_BYTES = 1 << 24


def checked(data):
    if len(data) > MAX_BYTES:
        raise ValueError("too large")
    return [len(data), zlib.crc32(data)]


def tar_files(data):
    files = []
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:", errorlevel=2) as archive:
        for member in archive:
            if member.isreg():
                content = archive.extractfile(member).read(MAX_BYTES + 1)
                if len(content) != member.size:
                    raise ValueError("truncated")
                files.append([member.name.encode("utf-8", "surrogateescape").hex(), *checked(content)])
    return files


def zip_files(data):
    files = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if not member.is_dir():
                if member.file_size > MAX_BYTES:
                    raise ValueError("too large")
                files.append([member.filename.encode("utf-8", "surrogateescape").hex(), *checked(archive.read(member))])
    return files


def python_files(data):
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return zip_files(data) if data[:2] == b"PK" else tar_files(data)


def bsdtar_files(path):
    converted = subprocess.run(
        ["bsdtar", "-cf", "-", "--format=pax", "@" + path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20
    )
    if converted.returncode != 0:
        raise ValueError("refused")
    return tar_files(converted.stdout)


def seen(read):
    try:
        return read()
    except Exception:
        return None


for line in sys.stdin:
    path = line.rstrip("\n")
    with open(path, "rb") as file:
        data = file.read()
    answer = {"python": seen(lambda: python_files(data)), "bsdtar": seen(lambda: bsdtar_files(path))}
    print(json.dumps(answer), flush=True)
