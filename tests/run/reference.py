#!/usr/bin/env python3
"""The expected outputs of the launch files beside this script, by numpy.

    python3 reference.py            write every .npy file
    python3 reference.py --check    only say which files differ from what would be written

Buffers come from the launch files: shapes, types and fills. What a kernel should compute is written here once more, from
its description, in numpy. Where the order of operations is fixed, so are the bits, and the reference repeats that order
in the type of the kernel; elsewhere it is computed in doubles, and the launch file gives a tolerance.
"""
import sys
import tomllib
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
f32, f64 = np.float32, np.float64

# ---------------------------------------------------------------------------------------------------------------------
# Types: an array of bf16, e4m3 or e5m2 is one of f32 whose values that type has.

INTEGERS = {"u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8", "s8": "i1", "s16": "i2", "s32": "i4", "s64": "i8",
            "b8": "u1", "b16": "u2", "b32": "u4", "b64": "u8"}
NATIVE = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
SMALL = {"bf16": (8, -126, 3.3895313892515355e38), "e4m3": (4, -6, 448.0), "e5m2": (3, -14, 57344.0)}


def rounded(x, precision, least, largest):
    """Doubles to a type with so many significant bits: to the nearest, ties to even, and at most the largest value."""
    x = np.asarray(x, f64)
    _, exponent = np.frexp(x)
    quantum = np.ldexp(1.0, np.maximum(exponent - 1, least) - (precision - 1))
    return np.clip(np.rint(x / quantum) * quantum, -largest, largest)


def to(dtype, x):
    """Values as an array of a type."""
    if dtype in INTEGERS:
        return np.asarray(x).astype(np.dtype(INTEGERS[dtype]))
    if dtype in NATIVE:
        return np.asarray(x, f64).astype(NATIVE[dtype]) if np.asarray(x).dtype != NATIVE[dtype] else np.asarray(x)
    return rounded(x, *SMALL[dtype]).astype(f32)


def bits(dtype, x):
    """The bits of an array of a type that numpy does not have."""
    x = np.asarray(x, f32)
    if dtype == "bf16":
        return (x.view(np.uint32) >> 16).astype(np.uint16)
    mantissa, bias = {"e4m3": (3, 7), "e5m2": (2, 15)}[dtype]
    sign = np.signbit(x).astype(np.uint32) << 7
    m, e = np.frexp(np.abs(x).astype(f64))
    e = e - 1
    normal = e >= 1 - bias
    field = np.where(normal, e + bias, 0)
    units = np.ldexp(np.abs(x).astype(f64), mantissa - np.where(normal, e, 1 - bias))
    low = units.astype(np.int64) - np.where(normal, 1 << mantissa, 0)
    return (sign | (field.astype(np.uint32) << mantissa) | low.astype(np.uint32)).astype(np.uint8)


# ---------------------------------------------------------------------------------------------------------------------
# Fills, as book/src/run.md has them.

def words(seed, n):
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + (n.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def even(seed, n):
    return (words(seed, n) >> np.uint64(11)).astype(f64) / 2.0**53


def filled(b):
    """What a buffer holds at first; None where that is not known."""
    fill, shape, dtype = b.get("fill"), b["shape"], b["dtype"]
    n = np.arange(int(np.prod(shape)), dtype=np.uint64)
    if fill is None or not isinstance(fill, dict):
        return to(dtype, np.zeros(shape)) if fill == "zeros" else None
    kind, f = next(iter(fill.items()))
    if kind == "value":
        x = np.full(n.shape, f)
    elif kind == "arange":
        x = f.get("start", 0) + f.get("step", 1) * n.astype(f64)
    elif kind == "uniform":
        x = f["low"] + (f["high"] - f["low"]) * even(f["seed"], n)
    elif kind == "integers":
        x = f["low"] + (words(f["seed"], n) % np.uint64(f["high"] - f["low"])).astype(np.int64)
    elif kind == "normal":
        s = np.zeros(n.shape)
        for k in range(12):
            s = s + even(f["seed"], n * np.uint64(12) + np.uint64(k))
        x = f.get("mean", 0) + f.get("deviation", 1) * (s - 6.0)
    elif kind == "list":
        x = np.array(f)
    else:
        return None
    return to(dtype, x).reshape(shape)


# ---------------------------------------------------------------------------------------------------------------------
# Arithmetic of kernels.

def fma(a, b, c):
    """a * b + c in f32 with one rounding."""
    p = np.asarray(a, f64) * np.asarray(b, f64)  # exact
    c = np.asarray(c, f64)
    s = p + c
    v = s - p
    lost = (p - (s - v)) + (c - v)  # exact, so that the sum can be rounded to odd, and then once
    i = np.atleast_1d(s).view(np.int64).copy()
    e = np.atleast_1d(lost)
    even_bits = (i & 1) == 0
    same = np.signbit(np.atleast_1d(s)) == np.signbit(e)
    i += np.where((e != 0) & even_bits, np.where(same, 1, -1), 0)
    return i.view(f64).astype(f32).reshape(np.shape(s))


def chain(a, b):
    """The product of two matrices, each element a chain of fused operations."""
    c = np.zeros((a.shape[0], b.shape[1]), f32)
    for k in range(a.shape[1]):
        c = fma(a[:, k, None], b[None, k, :], c)
    return c


def chain_unfused(a, b):
    """The same, products and sums rounded one by one."""
    c = np.zeros((a.shape[0], b.shape[1]), f32)
    for k in range(a.shape[1]):
        c = c + a[:, k, None] * b[None, k, :]
    return c


def product(a, b):
    return np.asarray(a, f64) @ np.asarray(b, f64)


def butterfly(v):
    """The sum that every lane of a warp has after shfl.bfly by 16, 8, 4, 2, 1 (the last axis)."""
    lanes = np.arange(32)
    for o in (16, 8, 4, 2, 1):
        v = (v + v[..., lanes ^ o]).astype(v.dtype)
    return v


def softmax(x):
    x = np.asarray(x, f64)
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attention(q, k, v, scale, causal):
    """The output, and log2 of the sum of exponentials of each row."""
    s = product(q, np.asarray(k).T) * scale
    if causal:
        s = np.where(np.arange(len(q))[:, None] >= np.arange(len(k))[None, :], s, -np.inf)
    top = s.max(-1, keepdims=True)
    e = np.exp(s - top)
    total = e.sum(-1, keepdims=True)
    return product(e / total, v), ((top + np.log(total)) / np.log(2.0))[:, 0]


def erf(x):
    import math
    return np.vectorize(math.erf)(x)


# ---------------------------------------------------------------------------------------------------------------------
# The kernels: from the buffers of a launch file to its .npy files, by the name before the type.

def block_tree(x, block):
    """reduce_tree: two elements a thread, then halves."""
    out = []
    for start in range(0, len(x), 2 * block):
        part = np.zeros(2 * block, f32)
        have = x[start:start + 2 * block]
        part[:len(have)] = have
        s = part[:block] + part[block:]
        half = block // 2
        while half:
            s[:half] = s[:half] + s[half:2 * half]
            half //= 2
        out.append(s[0])
    return np.array(out, f32)


def grid_sums(x, grid, block):
    """Per block: the sum over a grid-stride loop (small integers: any order)."""
    i = np.arange(len(x))
    return np.array([x[(i // block) % grid == g].astype(f64).sum() for g in range(grid)])


def blelloch(d):
    t, n = d.copy(), len(d)
    off, k = 1, n // 2
    while k:
        i = np.arange(k)
        a, b = off * (2 * i + 1) - 1, off * (2 * i + 2) - 1
        t[b] = t[b] + t[a]
        off, k = off * 2, k // 2
    t[n - 1] = 0
    k = 1
    while k < n:
        off //= 2
        i = np.arange(k)
        a, b = off * (2 * i + 1) - 1, off * (2 * i + 2) - 1
        low = t[a].copy()
        t[a] = t[b]
        t[b] = t[b] + low
        k *= 2
    return {"d": t}


def lookback(b):
    x = b["x"].astype(np.int64)
    ends = np.cumsum(x)[[min(128 * (i + 1), len(x)) - 1 for i in range(8)]]
    return {"state": (np.uint64(2 << 32) | (ends & 0xFFFFFFFF).astype(np.uint64))}


def layernorm(b):
    x = b["x"].astype(f64)
    mean = x.mean(-1, keepdims=True)
    var = (x * x).mean(-1, keepdims=True) - mean * mean
    return {"y": (x - mean) / np.sqrt(var + 1e-5) * b["g"] + b["b"]}


def rmsnorm(b):
    x = b["x"].astype(f64)
    return {"y": x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * b["g"]}


def gelu(b):
    x = b["x"].astype(f64)
    u, v = x[:, 0], x[:, 1]
    u = 0.5 * u * (1 + np.tanh(0.79788456 * (u + 0.044715 * u**3)))
    v = 0.5 * v * (1 + erf(v * 0.70710678))
    return {"y": np.stack([u, v], 1)}


def jacobi(b):
    a, o = b["a"].copy(), None
    for _ in range(3):
        left = np.concatenate([a[:1], a[:-1]])
        right = np.concatenate([a[1:], a[-1:]])
        a, o = f32(0.5) * (left + right), a
    return {"b": a, "a": o}


def barrier_pipe(b):
    acc = np.zeros(256, f32)
    for t in b["g"].reshape(4, 256):
        acc = fma(t, np.roll(t, -1), acc)
    return {"o": acc}


def stencil(b):
    x = np.pad(b["in"], 1)
    s = x[1:-1, 1:-1] + x[:-2, 1:-1]
    s = s + x[2:, 1:-1]
    s = s + x[1:-1, :-2]
    s = s + x[1:-1, 2:]
    return {"out": f32(0.2) * s}


def conv1d(b):
    x, w = b["x"], b["w"]
    s = np.zeros(96, f32)
    for j in range(5):
        s = fma(x[j:j + 96], w[j], s)
    return {"y": s}


def spmv(b):
    rp, ci, v, x = b["rp"], b["ci"], b["v"], b["x"]
    out = []
    for r in range(5):
        lanes = np.zeros(32, f32)
        for k in range(rp[r], rp[r + 1]):
            lane = (k - rp[r]) % 32
            lanes[lane] = fma(v[k], x[ci[k]], lanes[lane])
        for o in (16, 8, 4, 2, 1):
            lanes = lanes + np.concatenate([lanes[o:], lanes[32 - o:]])
        out.append(lanes[0])
    return {"y": np.array(out, f32)}


def embedding(b):
    out = b["out"].copy()
    for t, i in enumerate(b["ids"]):
        if 0 <= i < 10:
            out[t] = b["tab"][i]
    return {"out": out}


def topk_gate(b):
    p = softmax(b["logits"])
    idx = np.argsort(-p, axis=1, kind="stable")[:, :3]
    return {"idx": idx, "w": np.take_along_axis(p, idx, 1)}


def align_block(b):
    """Where each expert begins; the launch file has these numbers as parts."""
    ids, at, of, out = b["ids"], 0, [], {}
    for e in range(6):
        mine = np.flatnonzero(ids == e)
        out[f"sorted{e}"] = mine
        blocks = -(-len(mine) // 8)
        of += [e] * blocks
        at += 8 * blocks
    return out | {"expert_of": np.array(of + [-1] * (12 - len(of))), "total": np.array([at])}


def gather_rows(b):
    y = b["y"].copy()
    for r, s in enumerate(b["sorted"]):
        if s < 12:
            y[r] = b["x"][s // 2]
    return {"y": y}


def combine(b):
    o = np.zeros((6, 33), f32)
    for k in range(2):
        o = fma(b["w"][:, k, None], b["y"][b["inv"][:, k]], o)
    return {"o": o}


def grouped_naive(b):
    return {"Y": np.concatenate([chain(b["X"][8 * i:8 * i + 8], b["W"][e]) for i, e in enumerate(b["expert_of"])])}


def bits_kernel(b):
    x = b["a"].astype(object)
    m32, m64 = (1 << 32) - 1, (1 << 64) - 1
    signed = lambda v, n: v - (1 << n) if v >> (n - 1) else v
    out = []
    for v in x:
        v = int(v)
        w = v * 3 & m32
        pair = v | w << 32
        perm = sum((pair >> 8 * ((0x2341 >> 4 * i) & 7) & 0xFF) << 8 * i for i in range(4))
        s = v & 31
        funnel = (((v + 1 & m32) << 32 | v) << s >> 32) & m32
        dp4a = 5 + sum(signed(v >> 8 * i & 0xFF, 8) * (0x01020304 >> 8 * i & 0xFF) for i in range(4)) & m32
        add4 = sum(((v >> 8 * i) + 1 & 0xFF) << 8 * i for i in range(4))
        sad = abs(signed(v, 32) - 7) + 3 & m32
        r = int(f"{v:032b}"[::-1], 2) ^ perm ^ funnel ^ dp4a ^ (32 - v.bit_length()) ^ add4 ^ sad
        r ^= (v * 0x9E3779B9 >> 32) ^ v // 7 ^ v % 1000003
        p = v * 0x123456789ABCDEF & m64
        r ^= (p >> 17 & m32) ^ (p * p >> 64 & m32) ^ p.bit_count() ^ (64 - p.bit_length())
        out.append(r & m32)
    return {"o": np.array(out, np.uint32)}


def fp_mix(b):
    d, x, c = b["a"], b["f"].astype(f64), b["c"].astype(f64)
    o = (d * d + np.sqrt(np.abs(d))) / (1 + d) + np.exp(-d) + np.sin(d)
    up = (b["f"] + f32(1)).astype(f64)
    g = x / 3 + np.sqrt(x) + np.sin(x) + np.cos(x) * np.sin(x) + x**1.3 + np.log2(x) + np.trunc(x) + np.rint(x)
    g += np.minimum(x, c[np.arange(100) & 15]) + np.sqrt(x) + up + np.trunc(x) + np.floor(x) + 8 * x + np.fmod(x, 2)
    return {"o": o, "g": g}


def half_fp8(b):
    h = b["a"].astype(f64)
    return {"o": (h * h + np.maximum(h, 0)).astype(np.float16), "e": h.astype(f32)}


def calls(b):
    fib = [0, 1]
    while len(fib) < 16:
        fib.append(fib[-1] + fib[-2])
    x, i = b["f"], np.arange(40)
    cases = [x, x * x, fma(x, x, f32(1)), x - f32(7), f32(1) / x, fma(x, f32(3), f32(2)), -x, (x * x) * x]
    return {"o": np.array(fib)[i & 15], "f": np.choose(i & 7, cases)}


def compact(b):
    return {"y": b["x"][b["x"] > 0]}


def atom_zoo(b):
    p, i = b["p"].astype(np.int64)[:6], np.arange(100)
    fold = [p[0] + i.sum(), max(p[1], 99), min(p[2], 0), p[3], p[4] | np.bitwise_or.reduce(i), p[5] ^ np.bitwise_xor.reduce(i)]
    fold[3] &= np.bitwise_and.reduce(i)
    return {"p": np.array(fold)}


def moe_triton(b):
    a, w = b["a"].astype(f64), b["b"].astype(f64)
    ids = np.full(192, 10)
    for place, token in {0: 3, 1: 0, 2: 8, 64: 1, 65: 9, 66: 4, 67: 6, 128: 2, 129: 5, 130: 7}.items():
        ids[place] = token
    c = np.zeros((10, 80))
    for place, token in enumerate(ids):
        if token < 10:
            c[token] = (a[token // 2] @ w[place // 64].T) * b["tw"][token]
    return {"c": c}


def leaky(b):
    acc = product(b["a"], b["b"]).astype(f32)
    return {"c": np.where(acc >= 0, acc, f32(0.01) * acc)}


def layernorm_fwd(b):
    x = b["X"].astype(f64)
    mean = x.mean(-1)
    rstd = 1 / np.sqrt(x.var(-1) + 1e-5)
    y = (x - mean[:, None]) * rstd[:, None] * b["W"].astype(f64) + b["B"].astype(f64)
    return {"Y": y, "M": mean, "R": rstd}


def layernorm_bwd(b):
    x, dy, w = (b[n].astype(f64) for n in ("X", "DY", "W"))
    mean, rstd = b["M"].astype(f64)[:, None], b["R"].astype(f64)[:, None]
    xh, wdy = (x - mean) * rstd, w * dy
    c1, c2 = (xh * wdy).mean(-1, keepdims=True), wdy.mean(-1, keepdims=True)
    dw, db = np.zeros((64, 80)), np.zeros((64, 80))
    for r in range(66):
        dw[r % 64] += dy[r] * xh[r]
        db[r % 64] += dy[r]
    return {"DX": (wdy - (xh * c1 + c2)) * rstd, "DW": dw, "DB": db}


def attn(n, d, causal):
    def run(b):
        o, l = attention(b["q"], b["k"], b["v"], 0.125, causal)
        return {"o": o, "L": l}
    return run


def attn_ptr(b):
    o, l = attention(b["Q"][0], b["K"][0], b["V"][0], 0.125, True)
    return {"O": o[None], "L": l[None]}


def flash(causal):
    return lambda b: {"O": attention(b["Q"][0], b["K"][0], b["V"][0], 0.125, causal)[0][None]}


def scan_sort(b):
    x = np.concatenate([b["x"], np.zeros(548, b["x"].dtype)]).reshape(2, 1024)
    return {"y": np.cumsum(x, 1).reshape(-1)[:1500], "z": np.sort(x, 1).reshape(-1)[:1500]}


def gemm(b):
    return {"c": product(b["a"], b["b"])}


def gemm_t(b):
    return {"c": product(b["a"], b["b"].T)}


REFERENCES = {
    "vadd/saxpy": lambda b: {"y": fma(f32(1.5), b["x"], b["y"])},
    "vadd/vadd4": lambda b: {"c": b["a"] + b["b"]},
    "matmul/naive": lambda b: {"C": chain(b["A"], b["B"])},
    "matmul/tiled": lambda b: {"C": chain(b["A"], b["B"])},
    "matmul/regblock": lambda b: {"C": chain(b["A"], b["B"])},
    "matmul/naive_debug": lambda b: {"C": chain_unfused(b["A"], b["B"])},
    "matmul/tiled_debug": lambda b: {"C": chain_unfused(b["A"], b["B"])},
    "matmul/regblock_debug": lambda b: {"C": chain_unfused(b["A"], b["B"])},
    "attention/full": flash(False),
    "attention/causal": flash(True),
    "pdl/cache_ops": lambda b: {"y": ((b["x"] + b["x"]) + b["x"]) + b["x"]},
    "pdl/atom_zoo": atom_zoo,
    "hopper/gemm_tma_wgmma": lambda b: {"C": product(b["A"], b["B"].T)},
    "mma_sync/gemm": lambda b: {"C": product(b["A"], b["B"])},
    "mma_sync/gemm_real": lambda b: {"C": product(b["A"], b["B"])},
    "wmma/gemm": lambda b: {"C": product(b["A"], b["B"].T)},
    "moe/topk_gate": topk_gate,
    "moe/align_block": align_block,
    "moe/gather_rows": gather_rows,
    "moe/combine": combine,
    "moe/grouped_gemm": grouped_naive,
    "reduce/tree": lambda b: {"out": block_tree(b["x"], 128)},
    "reduce/lastblock": lambda b: {"part": grid_sums(b["x"], 5, 64)},
    "scan_hist/blelloch": lambda b: blelloch(b["d"]),
    "scan_hist/lookback": lookback,
    "softmax_layernorm/softmax_rows": lambda b: {"y": softmax(b["x"])},
    "softmax_layernorm/softmax_online": lambda b: {"y": softmax(b["x"])},
    "softmax_layernorm/layernorm": layernorm,
    "softmax_layernorm/rmsnorm": rmsnorm,
    "softmax_layernorm/gelu": gelu,
    "sync_flag/grid_sync_jacobi": jacobi,
    "sync_flag/barrier_pipe": barrier_pipe,
    "transpose_stencil/stencil5": stencil,
    "transpose_stencil/conv1d": conv1d,
    "transpose_stencil/bitonic": lambda b: {"d": np.sort(b["d"])},
    "transpose_stencil/embedding": embedding,
    "transpose_stencil/spmv_csr": spmv,
    "warp_ops/compact": compact,
    "warp_ops/bits": bits_kernel,
    "warp_ops/fp_mix": fp_mix,
    "warp_ops/half_fp8": half_fp8,
    "warp_ops/calls": calls,
    "triton/softmax": lambda b: {"o": softmax(b["x"][:, :100])},
    "triton/layernorm_fwd": layernorm_fwd,
    "triton/layernorm_bwd": layernorm_bwd,
    "triton/matmul_fp16": leaky,
    "triton/matmul_fp16_8w": gemm,
    "triton/matmul_fp8": gemm_t,
    "triton/matmul_tf32": gemm,
    "triton/matmul_tma_devdesc": gemm_t,
    "triton/matmul_tma_hostdesc": gemm_t,
    "triton/matmul_persistent_tma": gemm_t,
    "triton/matmul_persistent_tma_sub": gemm_t,
    "triton/grouped_gemm": lambda b: {f"C{i}": product(b[f"A{i}"], b[f"B{i}"]) for i in (0, 1)},
    "triton/attn_noncausal": attn(128, 64, False),
    "triton/attn_causal": attn(256, 128, True),
    "triton/attn_ws": attn(128, 64, False),
    "triton/attn_ptr_causal": attn_ptr,
    "triton/fused_moe": moe_triton,
    "triton/scan_sort": scan_sort,
    "triton/lastblock_reduce": lambda b: {"part": [b["x"][i:i + 1024].astype(f64).sum() for i in (0, 1024, 2048)]},
    "cub/exclusive_scan": lambda b: {"y": 5 + np.cumsum(b["x"]) - b["x"]},
    "cub/inclusive_scan": lambda b: {"y": np.cumsum(b["x"].astype(f64))},
    "cub/select": lambda b: {"y": b["x"][b["flags"] == 1]},
    "cute/nt": lambda b: {"C": product(b["B"].T, b["A"]) + 0.5 * b["C"].astype(f64)},
    "cute/tn": lambda b: {"C": product(b["B"], b["A"].T) + 0.5 * b["C"].astype(f64)},
}


def main():
    check = "--check" in sys.argv[1:]
    wrong = 0
    written = set()
    for path in sorted(HERE.glob("*/*.toml")):
        if path.parent.name == "wrong":
            continue  # they take the files of others
        name = f"{path.parent.name}/{path.stem}"
        launch = tomllib.loads(path.read_text())
        wanted = {}
        for buffer, b in launch.get("buffers", {}).items():
            expect = b.get("expect")
            for part in expect if isinstance(expect, list) else [expect]:
                if isinstance(part, dict) and "npy" in part:
                    key = Path(part["npy"]).stem.removeprefix(path.stem + ".")
                    wanted[key] = (path.parent / part["npy"], b["dtype"], part)
        if not wanted:
            continue
        buffers = {k: filled(b) for k, b in launch["buffers"].items()}
        out = REFERENCES[name](buffers)
        for key, (file, dtype, part) in wanted.items():
            x = to(dtype, out[key])
            if dtype in SMALL:
                x = bits(dtype, x)
            written.add(file)
            if not check:
                np.save(file, x)
                continue
            have = np.load(file) if file.exists() else None
            loose = any(k in part for k in ("abs", "rel", "ulp"))
            same = have is not None and have.dtype == x.dtype and have.shape == x.shape and (
                np.allclose(have.astype(f64), x.astype(f64), rtol=1e-3 if dtype == "f16" else 1e-6, atol=1e-7)
                if loose else have.tobytes() == x.tobytes())
            if not same:
                wrong += 1
                print(f"{file.relative_to(HERE)} is not what would be written")
    for file in HERE.glob("*/*.npy"):
        if file not in written:
            wrong += 1
            print(f"{file.relative_to(HERE)} is the output of no launch file")
    print(f"{len(written)} files" + (f", {wrong} wrong" if check or wrong else " written"))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
