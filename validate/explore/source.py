# SPDX-License-Identifier: MIT
"""From a specification to CUDA text: the kernel, and its row of the program's table."""
import index

FILLS = ("random", "clustered", "sorted", "hot", "permuted")
ARRAY = {"a": "a", "b": "b_", "o": "o"}  # b is the CTA in index expressions


def shape_of(spec):
    """What index expressions need to know of a launch."""
    launch = spec["launch"]
    threads = launch["block"][0] * launch["block"][1]
    ctas = launch["grid"][0] * launch["grid"][1]
    return {"B": threads, "ctas": ctas, "T": threads * ctas, "trips": spec.get("trips", 1)}


def element(access, spec, shape):
    """The element's number as a C expression that stays inside the array, stencil and all."""
    margin = max(abs(delta) for delta in access["deltas"])
    n = spec["arrays"][access["array"]] // access["size"] - 2 * margin
    text = index.text(access["index"], shape, n)
    return f"{margin}u + ({text})" if margin else text


def condition(guard, shape):
    """A guard as a C condition."""
    mask, count = guard["mask"], guard["count"]
    return {"lanes": f"(lane & {mask}u) == 0u", "below": f"lane < {count}u",
            "warps": f"(w & {min(mask, 3)}u) == 0u", "ctas": f"(b & {min(mask, 3)}u) == 0u",
            "turns": "(i & 1u) == 0u", "third": "t % 3u == 0u",
            "upto": f"g < {max(32, shape['T'] * 4 // 5 - 5)}u"}[guard["kind"]]


def block_of(lines):
    return ["{"] + ["    " + line for line in lines] + ["}"]


def shared_elements(s, shape):
    """Elements of shared memory that a `shared` statement spreads over."""
    n = max(shape["B"], 32)
    kinds = (s["write"]["kind"], s["read"]["kind"])
    if "column" in kinds or "swizzle" in kinds:
        n = max(n, 32 * 36)
    elif "padded" in kinds or "stride" in kinds:
        n *= 2
    while n * s["width"] > 40960:
        n //= 2
    return n


def place(pattern, n):
    """The element of shared memory that a thread takes, of n."""
    by, pad = pattern["by"], pattern["pad"]
    text = {"straight": "t", "stride": f"t * {by}u", "padded": f"t / {by}u * {by + pad}u + t % {by}u",
            "column": f"lane * {32 + pad}u + t / 32u", "swizzle": "lane * 32u + (t / 32u ^ lane)",
            "few": f"t / {by}u", "reverse": f"{n - 1}u - t", "hashed": "t * 2654435761u >> 20",
            "turn": "t + i * 7u"}[pattern["kind"]]
    return index.wrapped(text, n)


STEPS = {"fma": "{v} = fmaf({v}, 1.0001f, 0.5f);", "fp64": "{v} = fma({v}, 1.0001, 0.5);",
         "exp": "{v} = __expf({v} * -0.5f);", "rsqrt": "{v} = rsqrtf({v} + 1.5f);",
         "sin": "{v} = __sinf({v});", "imad": "{v} = ({v} ^ 0x5bd1e995u) * 1664525u + 1013904223u;",
         "shift": "{v} = ({v} << 3 | {v} >> 29) ^ ({v} + 77u);", "popc": "{v} = __popc({v}) + {v} * 3u;",
         "divide": "{v} = 3.0f / ({v} + 1.25f);", "half": "{v} = __hfma2({v}, {v}, {v});"}
TYPES = {"fp64": "double", "imad": "unsigned", "shift": "unsigned", "popc": "unsigned", "half": "__half2"}


class Writer:
    """Writes one kernel; remembers what of shared and local memory its statements need."""

    def __init__(self, spec):
        self.spec, self.shape = spec, shape_of(spec)
        self.shared_bytes = self.local_words = self.number = 0

    def fresh(self, stem):
        self.number += 1
        return f"{stem}{self.number}"

    def lines(self, statements):
        out = []
        for s in statements:
            lines = getattr(self, "write_" + s["kind"])(s)
            if s.get("guard") and s["kind"] != "async":  # which has barriers, and its own way
                lines = [f"if ({condition(s['guard'], self.shape)})"] + block_of(lines)
            out += lines
        return out

    def accesses(self, s, form):
        e = self.fresh("e")
        out = [f"const unsigned {e} = {element(s, self.spec, self.shape)};"]
        for delta in s["deltas"]:
            for offset, width in s["members"]:
                number = f"({e} + {delta})" if delta >= 0 else f"({e} - {-delta})"
                at = f"{ARRAY[s['array']]} + (size_t){number if delta else e} * {s['size']}"
                out.append(form.format(width=width, at=at + (f" + {offset}" if offset else "")))
        return block_of(out)

    def write_load(self, s):
        return self.accesses(s, "acc += load_" + s["op"] + "<{width}>({at});")

    def write_store(self, s):
        return self.accesses(s, "store_" + s["op"] + "<{width}>({at}, acc);")

    def write_update(self, s):
        """Each thread's own element, read and written: no other thread touches it."""
        turns = max(1, self.spec["arrays"]["p"] // s["width"] // self.shape["T"])
        return [f"update<{s['width']}>(p + (size_t)(g + i % {turns}u * {self.shape['T']}u) * {s['width']});"]

    def write_chain(self, s):
        kind = TYPES.get(s["unit"], "float")
        source = "(acc + g) & 0xffu" if s["follows"] else "g & 0xffu"
        names = [self.fresh("v") for _ in range(s["ways"])]
        out = []
        for number, name in enumerate(names):
            first = f"({source}) + {number}u"
            if kind == "__half2":
                out.append(f"__half2 {name} = __float2half2_rn((float)({first}) * 0.001f);")
            else:
                out.append(f"{kind} {name} = ({kind})({first});")
        out += [f"#pragma unroll {min(s['straight'], s['length'])}", f"for (int c = 0; c < {s['length']}; c++) {{"]
        out += ["    " + STEPS[s["unit"]].format(v=name) for name in names] + ["}"]
        for name in names:
            out.append(f"acc += (unsigned)__low2float({name});" if kind == "__half2"
                       else f"acc += (unsigned){name};")
        return block_of(out)

    def write_shuffle(self, s):
        if s["form"] == "reduce":
            return [f"acc += __shfl_xor_sync(~0u, acc, {d});" for d in (16, 8, 4, 2, 1)]
        return [{"xor": "acc += __shfl_xor_sync(~0u, acc, 5);",
                 "down": "acc += __shfl_down_sync(~0u, acc, 3);",
                 "idx": "acc += __shfl_sync(~0u, acc, (int)((lane * 7u + i) & 31u));",
                 "vote": "acc += __ballot_sync(~0u, (acc & 1u) != 0u);",
                 "redux": "acc = __reduce_add_sync(~0u, acc);"}[s["form"]]]

    def write_shared(self, s):
        n, width = shared_elements(s, self.shape), s["width"]
        self.shared_bytes = max(self.shared_bytes, n * width)
        barrier = "__syncthreads();" if s["barrier"] == "cta" else "__syncwarp();"
        out = [f"store_shared<{width}>(sm + ({place(s['write'], n)}) * {width}u, acc);", barrier]
        for read in range(s["reads"]):
            at = place(s["read"], n)
            if read:
                at = index.wrapped(f"({at}) + {read * 32}u", n)
            out.append(f"acc += load_shared<{width}>(sm + ({at}) * {width}u);")
        return out + [barrier]

    def write_sharedatomic(self, s):
        self.shared_bytes = max(self.shared_bytes, s["bins"] * 4)
        bin_of = index.wrapped(f"t * {s['by']}u + i", s["bins"])
        at = f"(unsigned *)sm + ({bin_of})"
        return [{"add": f"atomicAdd({at}, 1u);", "max": f"atomicMax({at}, acc);",
                 "exch": f"acc ^= atomicExch({at}, acc);",
                 "inc": f"acc ^= atomicAdd({at}, 1u);"}[s["op"]]]

    def write_atomic(self, s):
        words = s["lines"] * 32
        e = {"one": "0u", "few": f"t % {s['lines']}u * 32u", "lanes": "lane",
             "random": f"((g + i * 7919u) * 2654435761u >> 7) % {words}u", "warp": f"w % {s['lines']}u * 32u + lane",
             "linear": f"g % {words}u", "strided": f"g * 8u % {words}u"}[s["where"]]
        scale, call = 4, {"add": "atomicAdd((unsigned *)({at}), 1u)", "max": "atomicMax((unsigned *)({at}), acc)",
                          "exch": "atomicExch((unsigned *)({at}), acc)",
                          "cas": "atomicCAS((unsigned *)({at}), acc, g)", "and": "atomicAnd((unsigned *)({at}), acc)",
                          "addf": "atomicAdd((float *)({at}), 1.0f)",
                          "add64": "atomicAdd((unsigned long long *)({at}), 1ull)",
                          "addd": "atomicAdd((double *)({at}), 1.0)"}[s["op"]]
        if s["op"] in ("add64", "addd"):
            scale = 8
        call = call.format(at=f"m + (size_t)({e}) * {scale}")
        return [f"acc ^= (unsigned){call};" if s["result"] else call + ";"]

    def write_constant(self, s):
        mask = s["words"] - 1
        step = s["step"]
        at = {"turn": f"i * {step}u", "cta": f"b * {step}u + i", "lane": f"lane * {step}u + i",
              "equal": f"t * q + i * {step}u", "lanes4": f"(lane >> 3) * {step}u + i"}[s["by"]]
        return [f"acc += constants[({at} + {n * 5}u) & {mask}u];" for n in range(s["count"])]

    def write_local(self, s):
        self.local_words = max(self.local_words, s["words"])
        mask, step = s["words"] - 1, s["step"]
        at = {"same": f"i * {step}u + q", "lane": f"i * {step}u + lane", "warp": f"i * {step}u + w",
              "hashed": "((i + lane * 5u) * 2654435761u >> 13)"}[s["by"]]
        out = []
        for n in range(s["count"]):
            if s["write"]:
                out.append(f"local[({at} + {n * 3 + 1}u) & {mask}u] = acc;")
            out.append(f"acc += local[({at} + {n * 7}u) & {mask}u];")
        return out

    def write_async(self, s):
        width = s["size"]
        half = self.shape["B"] * width
        self.shared_bytes = max(self.shared_bytes, 2 * half)
        e = self.fresh("e")
        size = f", {width if not s['zfill'] else width // 2}"
        out = [f"const unsigned {e} = {element(s, self.spec, self.shape)};",
               f"copy_async_{s['op']}<{width}>(sm + (i & 1u) * {half}u + t * {width}u, "
               f"{ARRAY[s['array']]} + (size_t){e} * {width}{size});"]
        guard = s.get("guard")
        lines = block_of(out)
        if guard:
            lines = [f"if ({condition(guard, self.shape)})"] + lines
        buffer = "(i & 1u)" if s["ahead"] == 0 else "(~i & 1u)"
        return lines + ["copy_commit();", f"copy_wait<{s['ahead']}>();", "__syncthreads();",
                        f"acc += load_shared<{width}>(sm + {buffer} * {half}u + ({self.shape['B'] - 1}u - t) * {width}u);",
                        "__syncthreads();"]

    def write_tree(self, s):
        self.shared_bytes = max(self.shared_bytes, self.shape["B"] * 4)
        return ["((unsigned *)sm)[t] = acc;", "__syncthreads();",
                f"for (unsigned half = {self.shape['B'] // 2}u; half > {s['last']}u; half >>= 1) {{",
                "    if (t < half)", "        ((unsigned *)sm)[t] += ((unsigned *)sm)[t + half];",
                "    __syncthreads();", "}", "acc += ((unsigned *)sm)[0];", "__syncthreads();"]

    def write_barrier(self, s):
        form = s["form"]
        if form == "named" and (self.shape["B"] % 64 or self.shape["B"] > 896):
            form = "cta"
        return [{"cta": "__syncthreads();", "warp": "__syncwarp();", "named": "barrier_pair(1u + t / 64u);",
                 "count": "acc += (unsigned)__syncthreads_count((int)(acc & 1u));",
                 "fence": "__threadfence();"}[form]] * s["times"]

    def write_branch(self, s):
        out = [f"if ({condition(s['guard'], self.shape)})"] + block_of(self.lines(s["then"]))
        if s["else"]:
            out += ["else"] + block_of(self.lines(s["else"]))
        return out

    def write_inner(self, s):
        turns = {"all": f"{s['turns']}u", "lane": f"1u + lane % {s['turns']}u",
                 "warp": f"1u + w % {s['turns']}u"}[s["by"]]
        outer = self.fresh("outer")
        body = [f"const unsigned i = {outer} * {s['turns']}u + j;"] + self.lines(s["body"])
        return block_of([f"const unsigned {outer} = i;",
                         f"for (unsigned j = 0; j < {turns}; j++)"] + block_of(body))


def kernel(spec):
    """The CUDA text of a specification's kernel."""
    writer = Writer(spec)
    head = writer.lines(spec["head"])
    loop = writer.lines(spec["loop"])
    tail = writer.lines(spec["tail"])
    launch, B = spec["launch"], writer.shape["B"]
    out = []
    if writer.shared_bytes:
        out.append(f"__shared__ __align__(16) char sm[{(writer.shared_bytes + 15) // 16 * 16}];")
    out += ["const unsigned t = threadIdx.y * blockDim.x + threadIdx.x, b = blockIdx.y * gridDim.x + blockIdx.x;",
            f"const unsigned g = b * {B}u + t, w = g >> 5, lane = t & 31u;",
            "unsigned acc = g;", "(void)w, (void)lane;"]
    if writer.local_words:
        out += [f"unsigned local[{writer.local_words}];",
                f"for (unsigned j = 0; j < {writer.local_words}u; j++)", "    local[j] = j * q + g;"]
    if head:
        out += block_of(["const unsigned i = 0;"] + head)
    if loop:
        out += [f"#pragma unroll {spec['unroll']}", f"for (unsigned i = 0; i < {spec['trips']}u; i++)"]
        out += block_of(loop)
    if tail:
        out += block_of(["const unsigned i = 0;"] + tail)
    words = spec["arrays"]["o"] // 4
    out += {"store": [f"((unsigned *)o)[{index.wrapped('g', words)}] = acc;"],
            "never": ["if (acc == 0x9e3779b9u)", "    ((unsigned *)o)[0] = acc;"],
            "first": ["if (t == 0u || acc == 0x9e3779b9u)", f"    ((unsigned *)o)[{index.wrapped('b', words)}] = acc;"]}[spec["final"]]
    restrict = "__restrict__ " if spec["restrict"] else ""
    bounds = f"{B}, {launch['blocks']}" if launch["blocks"] else f"{B}"
    head = [f"__global__ void __launch_bounds__({bounds}) {spec['name']}(const char *{restrict}a, "
            f"const char *{restrict}b_,", f"    const unsigned *{restrict}x, char *{restrict}o, char *p, char *m, unsigned q)"]
    return "\n".join(head + block_of(out)) + "\n"


def row(spec):
    """The kernel's row of the program's table."""
    launch, arrays = spec["launch"], spec["arrays"]
    return (f"    {{\"{spec['name']}\", (const void *){spec['name']}, {{{launch['grid'][0]}, {launch['grid'][1]}, 1}}, "
            f"{{{launch['block'][0]}, {launch['block'][1]}, 1}}, {launch['dynamic']}, "
            f"{{{', '.join(str(arrays[name]) for name in 'abxopm')}}}, {FILLS.index(spec['fill'])}}},")


def program(specs):
    """A whole program: kernels, and the table that its driver walks."""
    return ("#include \"explore.cuh\"\n\n" + "\n".join(kernel(spec) for spec in specs) +
            "\nconst explore_case explore_cases[] = {\n" + "\n".join(row(spec) for spec in specs) +
            "\n};\nconst int explore_count = sizeof explore_cases / sizeof explore_cases[0];\n")
