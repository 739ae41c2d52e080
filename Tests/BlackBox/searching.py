"""The search of files for personal values: in every encoding, in compressed data, and with the keys of a history."""

import base64
import contextlib
import ctypes
import ctypes.util
import json
import re
import sqlite3
import struct
import zlib

ZSTD = b"\x28\xb5\x2f\xfd"
GZIP = b"\x1f\x8b\x08"
#: The shortest run of characters that is taken for an encoded value.
RUN = 16
BASE64 = re.compile(rb"[A-Za-z0-9+/]{%d,}" % RUN)
#: The base64 of URLs has two other characters.
STANDARD = bytes.maketrans(b"-_", b"+/")
HEX = re.compile(rb"[0-9A-Fa-f]{%d,}" % RUN)
ESCAPE = re.compile(rb"\\u([0-9A-Fa-f]{4})")
DEPTH = 3
UNPACKED_BYTES_MAX = 64 << 20


class _Buffer(ctypes.Structure):
    _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t), ("place", ctypes.c_size_t)]


def library(name):
    return ctypes.CDLL(ctypes.util.find_library(name))


def unpack_zstd(data):
    """The beginning of a frame as far as it can be decompressed, also of a frame that is cut or damaged."""
    zstd = library("zstd")
    zstd.ZSTD_createDStream.restype = ctypes.c_void_p
    zstd.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream = ctypes.c_void_p(zstd.ZSTD_createDStream())
    output = ctypes.create_string_buffer(1 << 16)
    source = ctypes.create_string_buffer(data, len(data))
    given, plain = _Buffer(ctypes.addressof(source), len(data), 0), b""
    while len(plain) < UNPACKED_BYTES_MAX:
        taken = _Buffer(ctypes.addressof(output), len(output), 0)
        before = given.place
        rest = zstd.ZSTD_decompressStream(stream, ctypes.byref(taken), ctypes.byref(given))
        plain += output.raw[: taken.place]
        if rest == 0 or zstd.ZSTD_isError(ctypes.c_size_t(rest)) or (given.place == before and not taken.place):
            break
    zstd.ZSTD_freeDStream(stream)
    return plain


def unpack_gzip(data):
    unpacker, plain = zlib.decompressobj(47), b""
    with contextlib.suppress(zlib.error):
        plain = unpacker.decompress(data, UNPACKED_BYTES_MAX)
    return plain


def unescaped(match):
    return chr(int(match[1], 16)).encode("utf-16-le", "surrogatepass")


def layers(data, depth=DEPTH):
    """The data, and everything that is encoded or compressed in it."""
    yield data
    if not depth:
        return
    inner = []
    if ESCAPE.search(data):
        # A pair of escapes may be a single character.
        text = re.sub(rb"(?:\\u[0-9A-Fa-f]{4})+", lambda m: b"".join(map(unescaped, ESCAPE.finditer(m[0])))
                      .decode("utf-16-le", "replace").encode(), data)  # fmt: skip
        inner.append(text)
    for run in BASE64.findall(data.translate(STANDARD)):
        for start in range(4):
            part = run[start:]
            # A single character of the last four has no whole byte.
            inner.append(base64.b64decode(part[: len(part) - (len(part) % 4 == 1)] + b"=="))
    for run in HEX.findall(data):
        for start in range(2):
            part = run[start:]
            inner.append(bytes.fromhex(part[: len(part) // 2 * 2].decode()))
    inner += [unpack_zstd(data[match.start() :]) for match in re.finditer(re.escape(ZSTD), data)]
    inner += [unpack_gzip(data[match.start() :]) for match in re.finditer(re.escape(GZIP), data)]
    for part in inner:
        if part:
            yield from layers(part, depth - 1)


def forms(secret):
    """The bytes of a text as UTF-8, and as JSON whose escapes are short."""
    short = json.dumps(secret, ensure_ascii=False)[1:-1]
    return {secret.encode(), short.encode(), short.replace("/", "\\/").encode()}


def files_in(*places):
    """The files at these places, but for the API keys of the clients."""
    for place in places:
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            if file.is_file() and file.name != "keys.json":
                yield file


def found(pattern, *places):
    """The matches of a pattern in these files, in any form."""
    return {match for file in files_in(*places) for layer in layers(file.read_bytes()) for match in pattern.findall(layer)}


def traces(secrets, *places):
    """The files with any of these texts, in any form."""
    pattern = re.compile(b"|".join(re.escape(form) for secret in secrets for form in forms(secret)))
    return [(file.name, match) for file in files_in(*places) for match in found(pattern, file)]


# With keys


class Keys:
    """The keys of a file, with which sealed values are opened without the server."""

    SLOT = 64

    def __init__(self, folder):
        data = (folder / "keys").read_bytes()
        slots = [data[start : start + self.SLOT] for start in range(self.SLOT, len(data), self.SLOT)]
        #: The bytes of each key, by its slot.
        self.keys = {number: slot[24:56] for number, slot in enumerate(slots) if slot[0] == 1}
        self.nettle = library("nettle")

    def open(self, slot, sealed):
        """The plain bytes of a sealed value, or none if there is no key."""
        if slot not in self.keys or len(sealed) < 28:
            return b""
        context = ctypes.create_string_buffer(1_024)
        plain = ctypes.create_string_buffer(len(sealed) - 28)
        self.nettle.nettle_chacha_poly1305_set_key(context, self.keys[slot])
        self.nettle.nettle_chacha_poly1305_set_nonce(context, sealed[:12])
        self.nettle.nettle_chacha_poly1305_decrypt(context, ctypes.c_size_t(len(plain)), plain, sealed[12:-16])
        return plain.raw

    def open_values(self, values):
        """The plain bytes of the values behind the JSON of a record."""
        place = 0
        while place + 13 <= len(values):
            _, _, slot, count = struct.unpack_from("<BIII", values, place)
            place += 13
            yield self.open(slot, values[place : place + count])
            place += count

    def open_history(self, file):
        """Every plain byte in a history or a backup that these keys open."""
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
        with contextlib.closing(database):
            for (payload,) in database.execute("SELECT payload FROM records"):
                if payload[:1] == b"\x01":
                    [count] = struct.unpack_from("<I", payload, 9)
                    yield from self.open_values(payload[13 + count :])
            for (state,) in database.execute("SELECT state FROM snapshots"):
                [slot] = struct.unpack_from("<I", state, 9)
                yield self.open(slot, state[13:])

    def open_export(self, file):
        """Every plain byte in an export that these keys open."""
        for line in file.read_text().splitlines():
            if sealed := json.loads(line).get("sealed"):
                yield from self.open_values(base64.urlsafe_b64decode(sealed + "==")[8:])


def found_with(pattern, parts):
    """The matches of a pattern in opened values."""
    return {match for part in parts for layer in layers(part) for match in pattern.findall(layer)}
