#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A second reader of traces, written from FORMAT.md alone and with no care for speed.

Prints what `gmtrace dump --lanes` prints without its comments, with --origins the lines of
allocations that `gmtrace info` prints, or with --known what `gmtrace dump` says that launches found, so that the two can be compared: the
text of the format and the library must not drift apart. Checksums are left to the library. Compressed
parts are unpacked by the zstd program.
"""
import struct
import subprocess
import sys

M64 = (1 << 64) - 1
KIND = ("access bulk barrier cluster-arrive cluster-wait syncwarp copy-commit copy-wait mbarrier "
        "exec wgmma tensor").split()
OP = ("none load store atomic reduction copy-read copy-write prefetch bulk-load bulk-store "
      "bulk-copy bulk-reduce").split()
SPACE = "none global shared local remote-shared constant generic".split()


class View:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at:self.at + count]
        assert len(part) == count
        self.at += count
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def svarint(self):
        value = self.varint()
        return value >> 1 if not value & 1 else -(value >> 1) - 1

    def string(self):
        return self.take(self.varint()).decode()


def signed(value):
    return (value + (1 << 31) & 0xffffffff) - (1 << 31)


def unpack(frame):
    return subprocess.run(["zstd", "-dcq"], input=frame, stdout=subprocess.PIPE, check=True).stdout


class Entry:
    def __init__(self):
        self.segment, self.next, self.step, self.first_step = 0, [None, None], [0, 0], [0, 0]
        self.pack_base = self.pack_width = self.pack_shift = 0


def remember(pair, value):
    if pair[0] != value:
        pair[1] = pair[0]
        pair[0] = value


class Chunk:
    def __init__(self, payload, packed):
        head = struct.unpack("<12I", payload[:48])
        streams = unpack(payload[48:]) if packed else payload[48:]
        parts, at = [], 0
        for size in head[8:]:
            parts.append(View(streams[at:at + size]))
            at += size
        assert at == len(streams)
        self.launch, self.records, self.segments = head[0], head[2], head[3]
        self.segment_view, self.tokens, self.fields, self.pool = parts
        self.entries = [Entry()]
        self.mask, self.instr, self.space_address = 0xffffffff, 0, [0] * len(SPACE)
        self.run = 0

    def decode(self):
        """Yields (cta, warp, list of record texts)."""
        cta, warp, count = -1, 0, 0
        view = self.segment_view
        for number in range(1, self.segments + 1):
            token = view.number(1)
            mode = token & 3
            if mode == 0:
                warp += 1
            elif mode == 1:
                cta, warp = cta + 1, 0
            elif mode == 2:
                warp += 2 + view.varint()
            else:
                cta += 1 + view.varint()
                warp = view.varint()
            if token & 4:
                count = view.varint()
            previous, out = self.entries[0], []
            for _ in range(count):
                previous = self.record(previous, number)
                out.append(self.show(previous))
            yield cta, warp, out
        for part in (view, self.tokens, self.fields, self.pool):
            assert part.at == len(part.data)

    def define(self):
        f, e = self.fields, Entry()
        what, where = f.number(1), f.number(1)
        e.kind, e.op, e.space = what & 15, what >> 4, where & 7
        e.size = 1 << (where >> 3 & 7) >> 1
        e.instr = None
        if not where & 64:
            self.instr += f.svarint()
            e.instr = self.instr
        e.mask, e.aux, e.aux64 = self.mask, 0, 0
        e.coordinate, e.map = [0, 0, 0], 0
        e.form, e.stride, e.stride2, e.log2 = 0, e.size if e.kind == 0 else 0, 0, 0
        e.address = e.first = e.pack_base = self.space_address[e.space]
        self.entries.append(e)
        return e

    def record(self, previous, segment):
        f, token = self.fields, 0
        if self.run:
            self.run -= 1
        else:
            token = self.tokens.number(1)
            assert token
            if token & 128:
                self.run, token = token & 127, 0
        choice, new = token & 3, False
        if choice < 2:
            e = previous.next[choice]
        else:
            number = f.varint()
            new = number == 0
            e = self.define() if new else self.entries[number]
        remember(previous.next, e)
        if token & 4:
            e.mask = f.number(4)
        lanes = False
        if token & 8:
            lanes = self.shape(e)
        if not lanes and not (e.form == 3 and not token & 8):
            same = e.segment == segment
            base, step = (e.address, e.step) if same else (e.first, e.first_step)
            mode = token >> 4 & 3
            moved = f.svarint() if mode == 2 else step[mode]
            if mode and not new:
                step[1] = step[0]
                step[0] = moved
            e.address = (base + moved) & M64
        if token & 64:
            e.aux = f.varint()
            e.aux64 = (e.aux64 + f.svarint()) & M64
            if e.kind == 11:
                e.coordinate = [signed(c + f.svarint()) for c in e.coordinate]
                e.map = f.varint()
        if e.segment != segment:
            e.segment, e.first = segment, e.address
        self.space_address[e.space] = e.address
        self.mask = e.mask
        return e

    def shape(self, e):
        f = self.fields
        byte = f.number(1)
        form, e.log2 = byte & 7, byte >> 3
        active = [i for i in range(32) if e.mask >> i & 1]
        if form == 0:
            e.form, e.stride = 0, f.svarint()
            return False
        if form == 1:
            e.form, e.stride, e.stride2 = 1, f.svarint(), f.svarint()
            return False
        if form == 3:
            at = {i: self.pool.number(8) for i in active}
        else:
            if form == 2:
                e.pack_base = (e.pack_base + f.svarint()) & M64
                e.pack_width, e.pack_shift = f.number(1), f.number(1)
            bits = self.pool.number((len(active) * e.pack_width + 7) // 8)
            at = {}
            for n, i in enumerate(active):
                value = bits >> n * e.pack_width & (1 << e.pack_width) - 1
                at[i] = (e.pack_base + (value << e.pack_shift)) & M64
        e.form = 3 if form == 3 else 2
        low = min(at.values())
        if form != 3:
            low = (e.pack_base + min((a - e.pack_base) & M64 for a in at.values())) & M64
        e.lanes = {i: (a - low) & M64 for i, a in at.items()}
        e.address = low
        return True

    def show(self, e):
        text = "%s %s %s %d %08x" % (KIND[e.kind], OP[e.op], SPACE[e.space], e.size, e.mask)
        if e.kind == 11:
            at = [signed(e.aux)] + e.coordinate + [signed(e.address >> 32)]
            return (e.instr, text + " map=%d at=%s shared=0x%x mbarrier=0x%x multicast=0x%x im2col=0x%x" % (
                e.map, ",".join(map(str, at)), e.address & 0xffffffff, e.aux64 & 0xffffffff,
                e.aux64 >> 32 & 0xffff, e.aux64 >> 48))
        if e.kind:
            return (e.instr, text + " address=0x%x aux=0x%x aux64=0x%x" % (e.address, e.aux, e.aux64))
        for i in range(32):
            if not e.mask >> i & 1:
                continue
            if e.form == 0:
                address = e.address + i * e.stride
            elif e.form == 1:
                columns = 1 << e.log2
                address = e.address + i % columns * e.stride + i // columns * e.stride2
            else:
                address = e.address + e.lanes[i]
            text += " %d:0x%x" % (i, address & M64)
        return (e.instr, text)


def read_kernel(raw):
    view = View(raw)
    counts = [view.number(4) for _ in range(6)]
    for _ in range(2 + counts[5]):
        view.string()
    pcs = [struct.unpack("<Q", view.take(104)[:8])[0] for _ in range(counts[4])]
    names = []
    for _ in range(counts[4]):
        names.append(view.string())
        view.string()
    assert view.at == len(raw)
    return list(zip(pcs, names))


def read_origins(raw, launches):
    """What allocations are called, into the launches' {base: text}."""
    view = View(raw)
    for _ in range(view.varint()):
        first, more, base, number, line = [view.varint() for _ in range(5)]
        name, call, file = [view.string() for _ in range(3)]
        for launch in range(first, first + more + 1):
            assert base in launches[launch][2] and not launches[launch][2][base]
            launches[launch][2][base] = (name, call, number, file, line)
    assert view.at == len(raw)


def show_known(raw, launches):
    """As gmtrace dump has it."""
    view, last = View(raw), -1
    for _ in range(view.varint()):
        launch, offset, size = [view.varint() for _ in range(3)]
        assert last < launch < launches
        last, constants, end = launch, view.take(size), 0
        if size:
            print("# parameters at 0x%x of constant bank 0: %s" % (offset, constants.hex()))
        for _ in range(view.varint()):
            base = end + view.varint()
            memory = view.take(view.varint())
            end = base + len(memory)
            print("# memory at 0x%x: %s" % (base, memory.hex()))
    assert view.at == len(raw)


def show_origins(allocations):
    """As gmtrace info has them."""
    for base, (size, origin) in sorted(allocations.items()):
        if not origin:
            continue
        name, call, ordinal, file, line = origin
        print("            %s, %s bytes%s%s%s" % (
            name or "no name", format(size, ","), ": " + call if call else "",
            " #%d" % ordinal if ordinal else "", " at %s:%d" % (file, line) if file and line else ""))


def main(path, origins, known):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89GMT\r\n\x1a\n" and struct.unpack("<H", data[8:10])[0] == 1
    at, kernels, launches, allocated = 128, [], [], []
    while True:
        kind, flags, length = struct.unpack("<IIQ", data[at:at + 16])
        payload = data[at + 32:at + 32 + length]
        at += 32 + length
        if kind == 7:
            break
        if kind == 4:
            chunk = Chunk(payload, flags & 1)
            assert chunk.launch == len(launches) - 1
            streams = launches[-1][1]
            for cta, warp, records in chunk.decode():
                streams.setdefault((cta, warp), []).extend(records)
            continue
        if flags & 1:
            size = struct.unpack("<Q", payload[:8])[0]
            payload = unpack(payload[8:])
            assert len(payload) == size
        if kind == 2:
            kernels.append(read_kernel(payload))
        elif kind == 3:
            view = View(payload)
            kernel = view.number(4)
            view.take(60)
            sizes = [(view.number(8), view.number(8)) for _ in range(view.number(4))]
            assert view.at == len(payload)
            launches.append((kernel, {}, {base: None for base, _ in sizes}))
            allocated.append(sizes)
        elif kind == 9:
            read_origins(payload, launches)
        elif kind == 11 and known:
            show_known(payload, len(launches))
    for launch, sizes in zip(launches, allocated) if origins else ():
        show_origins({base: (size, launch[2][base]) for base, size in sizes})
    for number, (kernel, streams, _) in enumerate(() if origins or known else launches):
        for cta, warp in sorted(streams):
            for instr, text in streams[cta, warp]:
                where = "- -" if instr is None else "0x%x %s" % kernels[kernel][instr]
                print(number, cta, warp, where, text)


main(sys.argv[-1], "--origins" in sys.argv, "--known" in sys.argv)
