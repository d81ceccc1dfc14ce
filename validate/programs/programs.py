#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of today, small: each is run once to warm up, then once between cudaProfilerStart() and
cudaProfilerStop(), for gmcapture and ncu with --profile-from-start off.

    programs.py --list          names them
    programs.py NAME...         runs them; several are separated by a launch of torch's spin_kernel

Needs PyTorch with CUDA and Triton; resnet_stage torchvision.
"""
import sys

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

DEVICE = "cuda"


@triton.jit
def multiply(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        left = tl.load(a + rows[:, None] * k + (start + inner)[None, :])
        right = tl.load(b + (start + inner)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def normal(*size, dtype=torch.float32):
    return torch.randn(*size, device=DEVICE, dtype=dtype)


def operators():
    x, index = normal(1024, 256), torch.arange(0, 1024, 3, device=DEVICE)
    table, image, weight = normal(500, 64), normal(2, 16, 28, 28), normal(16, 16, 3, 3)
    keys = torch.randint(0, 1 << 30, (20000,), device=DEVICE, dtype=torch.int32)
    a, b = normal(256, 256), normal(256, 256)

    def run():
        (x + 1.5).relu()              # 1, 2: elementwise
        torch.softmax(x, 1)           # 3
        F.layer_norm(x, (256,))       # 4
        x.sum(0)                      # 5: a reduction over columns
        x.t().contiguous()            # 6: a transpose
        x[index]                      # 7: gather
        F.embedding(index % 500, table)  # 8 (with the remainder before it)
        torch.cumsum(x, 1)            # 9: scan
        torch.sort(keys)              # 10: radix sort
        F.conv2d(image, weight, padding=1)  # 11
        a @ b                         # 12
    return run


def block(dtype):
    layer = torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True,
                                             norm_first=True).to(DEVICE, dtype)
    x = normal(2, 64, 128, dtype=dtype)

    def run():
        layer(x).sum().backward()
    return run


def attention(backend):
    query, key, value = (normal(2, 4, 256, 64, dtype=torch.float16) for _ in range(3))

    def run():
        with torch.nn.attention.sdpa_kernel(backend):
            F.scaled_dot_product_attention(query, key, value, is_causal=True)
    return run


def resnet_stage():
    import torchvision
    stage = torchvision.models.resnet18(weights=None).layer2.to(DEVICE)
    x = normal(2, 64, 28, 28)

    def run():
        stage(x)
    return run


def adam_step():
    weights = [torch.nn.Parameter(normal(256, 256)) for _ in range(4)]
    optimizer = torch.optim.Adam(weights, lr=1e-3)
    for weight in weights:
        weight.grad = normal(256, 256)
    return optimizer.step


def compiled():
    network = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.GELU(),
                                  torch.nn.Linear(512, 256)).to(DEVICE)
    fast, x = torch.compile(network), normal(128, 256)

    def run():
        with torch.no_grad():
            fast(x)
    return run


def graph_replay():
    a, b = normal(256, 256), normal(256, 256)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            (a @ b).relu().sum(1)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        torch.softmax((a @ b).relu(), 1).sum(1)
    return graph.replay


def triton_matmul():
    m = n = k = 512
    a, b = normal(m, k, dtype=torch.float16), normal(k, n, dtype=torch.float16)
    c = normal(m, n)

    def run():
        multiply[(m // 64, n // 64)](a, b, c, m, n, k, BM=64, BN=64, BK=32)
    return run


PROGRAMS = {
    "operators": operators,
    "block_fp32": lambda: block(torch.float32),
    "block_fp16": lambda: block(torch.float16),
    "block_bf16": lambda: block(torch.bfloat16),
    "attention_cudnn": lambda: attention(torch.nn.attention.SDPBackend.CUDNN_ATTENTION),
    "attention_flash": lambda: attention(torch.nn.attention.SDPBackend.FLASH_ATTENTION),
    "resnet_stage": resnet_stage,
    "adam_step": adam_step,
    "compiled": compiled,
    "graph_replay": graph_replay,
    "triton_matmul": triton_matmul,
}


def main(names):
    if names == ["--list"]:
        print("\n".join(PROGRAMS))
        return 0
    if not names or any(name not in PROGRAMS for name in names):
        print(__doc__, file=sys.stderr)
        return 2
    failed = 0
    for number, name in enumerate(names):
        torch.manual_seed(1)
        try:
            run = PROGRAMS[name]()
            run()
            run()
            torch.cuda.synchronize()
        except Exception as error:  # the others still run, each behind its separator
            print(f"programs: {name}: {error}", file=sys.stderr)
            failed, run = failed + 1, None
        torch.cuda.profiler.start()
        if number:
            torch.cuda._sleep(1000)
        if run:
            run()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
