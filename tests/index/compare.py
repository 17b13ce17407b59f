#!/usr/bin/env python3
"""Index goals by `index`, by `omega` and `simp`, and by Z3, as a table.

    python3 tests/index/compare.py            the figures of book/src/index-goals.md, on standard output
    python3 tests/index/compare.py --write    the same, into that page
    python3 tests/index/compare.py --z3       only Z3: a line for each goal
    python3 tests/index/compare.py --z3 FILE  the same for the theorems of another script
    options: --limit SECONDS (10)   --only NAME

The goals are those of tests/accept/index. Z3 (`pip install z3-solver`) gets the hypotheses and the negation of the goal
over bit vectors. Words have their own width. Natural numbers get the least of the widths 32, 64, 96, … in which no
operation wraps, by intervals, so what it is asked is what the statement says; `%` by 2^w above an operation that would
wrap is a truncation. Our own figures come from `cargo run --release --example index_goals`.
"""
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import z3

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "tests/accept/index" / name for name in ("goals.ptxp", "words.ptxp")]

# ---------------------------------------------------------------------------------------------------------------------
# Statements: `theorem name (binders) : left = right := by index`.

TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_][\w.']*)|(\.val\b|&&&|\|\|\||\^\^\^|<<<|>>>|:=|[-+*/%()=<≤≥:]))")
LEVELS = {"|||": 55, "^^^": 58, "&&&": 60, "+": 65, "-": 65, "*": 70, "/": 70, "%": 70, "<<<": 75, ">>>": 75}


class Parser:
    """A term is a number, a name, `("call", name, arguments)`, `("val", term)` or `(operator, left, right)`."""

    def __init__(self, text):
        self.tokens, at = [], 0
        while text[at:].strip():
            m = TOKEN.match(text, at)
            if not m:
                raise SyntaxError(text[at:at + 40])
            self.tokens.append(int(m[1]) if m[1] else m[2] or m[3])
            at = m.end()
        self.at = 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def expect(self, token):
        found = self.next()
        if found != token:
            raise SyntaxError(f"{found} instead of {token}")

    def atom(self):
        t = self.next()
        if t == "(":
            e = self.term()
            self.expect(")")
            while self.peek() == ".val":
                self.next()
                e = ("val", e)
            return e
        if isinstance(t, str) and t.endswith(".val"):
            return ("val", t[:-4])
        return t

    def applied(self):
        e = self.atom()
        if isinstance(e, str) and (e.startswith("ptx.") or e == "ofNat"):
            arguments = []
            while self.peek() is not None and (self.peek() == "(" or str(self.peek())[0].isalnum()):
                arguments.append(self.atom())
            return ("call", e, arguments)
        return e

    def term(self, level=0):
        e = self.applied()
        while LEVELS.get(self.peek(), -1) > level:
            op = self.next()
            e = (op, e, self.term(LEVELS[op]))
        return e


def theorems(path):
    """The statements of a script: name, variables with the width of words (None: Nat), hypotheses, both sides."""
    text = re.sub(r"/-.*?-/|--.*", "", path.read_text(), flags=re.S)
    for m in re.finditer(r"^theorem (\S+) (.*?) :=", text, re.S | re.M):
        variables, hypotheses = {}, []
        p = Parser(m[2])
        while p.peek() == "(":
            p.next()
            names = []
            while p.peek() != ":":
                names.append(p.next())
            p.next()
            if p.peek() in ("Nat", "Word"):
                width = None if p.next() == "Nat" else p.next()
                variables.update({n: width for n in names})
            else:
                left, op, right = p.term(), p.next(), p.term()
                hypotheses.append((op, left, right))
            p.expect(")")
        p.expect(":")
        left = p.term()
        p.expect("=")
        yield m[1], variables, hypotheses, left, p.term()


# ---------------------------------------------------------------------------------------------------------------------
# Words: what the instructions compute, from the PTX manual.


def signed_resize(a, w):
    return z3.SignExt(w - a.size(), a) if w > a.size() else z3.Extract(w - 1, 0, a)


def resize(a, w):
    return z3.ZeroExt(w - a.size(), a) if w > a.size() else a if w == a.size() else z3.Extract(w - 1, 0, a)


def amount(b, w):
    return resize(b, w) if w >= b.size() else z3.If(z3.ULT(b, w), z3.Extract(w - 1, 0, b), z3.BitVecVal(w, w))


def shift_right_signed(a, b):
    return a >> amount(b, a.size())


def bfe(a, pos, length):
    return z3.LShR(a, min(pos.as_long(), a.size())) & ((1 << length.as_long()) - 1)


def bfe_signed(a, pos, length):
    rest = max(a.size() - length.as_long(), 0)
    return (a >> min(pos.as_long(), a.size() - 1)) << rest >> rest if length.as_long() else a & 0


def bfi(a, b, pos, length):
    pos, length = pos.as_long(), length.as_long()
    mask = ((1 << length) - 1) << pos & (1 << a.size()) - 1
    return (a << pos) & mask | b & ~z3.BitVecVal(mask, a.size())


def prmt(a, b, c):
    both, c = z3.Concat(b, a), c.as_long()
    picked = [z3.Extract(8 * k + 7, 8 * k, both) for k in ((c >> 4 * i) & 7 for i in range(4))]
    return z3.Concat(*reversed(picked))


def high_signed(a, b):
    return z3.Extract(63, 32, signed_resize(a, 64) * signed_resize(b, 64))


MEANINGS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b, "not": lambda a: ~a, "neg": lambda a: -a, "mul.lo": lambda a, b: a * b,
    "mad.lo": lambda a, b, c: a * b + c, "shl": lambda a, b: a << amount(b, a.size()),
    "shr.u32": lambda a, b: z3.LShR(a, amount(b, 32)), "shr.u64": lambda a, b: z3.LShR(a, amount(b, 64)),
    "shr.s32": shift_right_signed, "mul.wide.u32": lambda a, b: resize(a, 64) * resize(b, 64),
    "mul.wide.s32": lambda a, b: signed_resize(a, 64) * signed_resize(b, 64),
    "mad.wide.s32": lambda a, b, c: signed_resize(a, 64) * signed_resize(b, 64) + c,
    "mul.hi.s32": high_signed, "cvt.u32.u64": lambda a: resize(a, 32), "cvt.u64.u32": lambda a: resize(a, 64),
    "cvt.s64.s32": lambda a: signed_resize(a, 64), "max.s32": lambda a, b: z3.If(a > b, a, b),
    "bfe.u32": bfe, "bfe.s32": bfe_signed, "bfi.b32": bfi, "prmt.b32": prmt,
}

# ---------------------------------------------------------------------------------------------------------------------
# Terms to bit vectors: a natural number is a vector with an upper bound.


class TooWide(Exception):
    """An operation does not fit."""


class Query:
    """A goal over vectors of some width."""

    def __init__(self, width, theorem):
        self.width = width
        _, self.kinds, hypotheses, left, right = theorem
        self.variables = {n: z3.BitVec(n, w or width) for n, w in self.kinds.items()}
        self.bounds = {n: (1 << w) - 1 for n, w in self.kinds.items() if w}
        for op, l, r in hypotheses:
            name = l[1] if isinstance(l, tuple) and l[0] == "val" else l
            if isinstance(name, str) and isinstance(r, int) and op in "<≤":
                self.bounds[name] = min(self.bounds.get(name, r), r - (op == "<"))
        self.assumed = [z3.ULE(self.variables[n], self.bounds[n]) for n, w in self.kinds.items() if w is None]
        compare = {"<": z3.ULT, "≤": z3.ULE, "=": lambda a, b: a == b}
        for op, l, r in hypotheses:
            self.assumed.append(compare[op](self.nat(l)[0], self.nat(r)[0]))
        self.goal = self.side(left) == self.side(right)

    def side(self, e):
        return self.word(e) if self.is_word(e) else self.nat(e)[0]

    def is_word(self, e):
        return isinstance(e, tuple) and e[0] == "call" or isinstance(e, str) and self.kinds[e] is not None

    def word(self, e):
        if isinstance(e, str):
            return self.variables[e]
        _, name, arguments = e
        if name == "ofNat":
            w, n = arguments
            return z3.BitVecVal(n, w) if isinstance(n, int) else self.modulo(n, w)
        op = name.removeprefix("ptx.")
        meaning = MEANINGS.get(op) or MEANINGS[op.rsplit(".", 1)[0]]
        return z3.simplify(meaning(*map(self.word, arguments)))

    def modulo(self, e, w):
        """The number as a word of width `w`; sums and products may wrap."""
        if isinstance(e, tuple) and e[0] in "+*":
            a, b = self.modulo(e[1], w), self.modulo(e[2], w)
            return a + b if e[0] == "+" else a * b
        return resize(self.nat(e)[0], w)

    def fit(self, value, bound):
        if bound >= 1 << self.width:
            raise TooWide
        return value, bound

    def nat(self, e):
        if isinstance(e, int):
            return self.fit(z3.BitVecVal(e, self.width), e)
        if isinstance(e, str):
            return self.fit(self.variables[e], self.bounds[e])
        if e[0] == "val":
            a = self.word(e[1])
            bound = self.bounds[e[1]] if isinstance(e[1], str) else (1 << a.size()) - 1
            if isinstance(e[1], tuple) and e[1][1] == "ofNat":
                return self.nat(("%", e[1][2][1], 1 << e[1][2][0]))
            return self.fit(resize(a, self.width), bound)
        op, l, r = e
        if op == "%" and isinstance(r, int) and r & r - 1 == 0 and r.bit_length() <= self.width + 1:
            w = r.bit_length() - 1
            return (resize(self.modulo(l, w), self.width), r - 1) if w else (z3.BitVecVal(0, self.width), 0)
        (a, x), (b, y) = self.nat(l), self.nat(r)
        if op == "+":
            return self.fit(a + b, x + y)
        if op == "*":
            return self.fit(a * b, x * y)
        if op == "-":
            return z3.If(z3.UGE(a, b), a - b, z3.BitVecVal(0, self.width)), x
        if op == "/":
            quotient = z3.UDiv(a, b) if isinstance(r, int) and r else z3.If(b == 0, z3.BitVecVal(0, self.width), z3.UDiv(a, b))
            return quotient, x // r if isinstance(r, int) and r else x
        if op == "%":
            if isinstance(r, int) and r:
                return z3.URem(a, b), min(x, r - 1)
            return z3.If(b == 0, a, z3.URem(a, b)), x
        if op == "&&&":
            return a & b, min(x, y)
        if op in ("|||", "^^^"):
            return (a | b if op == "|||" else a ^ b), (1 << max(x.bit_length(), y.bit_length())) - 1
        if op == "<<<":
            if x and y > 2 * self.width:
                raise TooWide
            return self.fit(a << b, x << y)
        if op == ">>>":
            return z3.LShR(a, b), x >> r if isinstance(r, int) else x
        raise SyntaxError(op)


def ask(theorem, limit):
    """Z3's verdict, milliseconds, the width, and the values that refute the goal."""
    for width in (32, 64, 96, 128, 192, 256):
        try:
            query = Query(width, theorem)
        except TooWide:
            continue
        solver = z3.SolverFor("QF_BV")
        solver.set("timeout", int(limit * 1000))
        solver.add(*query.assumed)
        started = time.monotonic()
        if solver.check() == z3.unsat:
            return "vacuous", 0, width, {}
        solver.add(z3.Not(query.goal))
        answer = solver.check()
        spent = (time.monotonic() - started) * 1000
        if answer == z3.sat:
            model = solver.model()
            at = {n: model.eval(v, model_completion=True).as_long() for n, v in query.variables.items()}
            return "false", spent, width, at
        return ("proved" if answer == z3.unsat else "no answer"), spent, width, {}
    return "too wide", 0, 0, {}


# ---------------------------------------------------------------------------------------------------------------------
# The table.

PAGE = ROOT / "book/src/index-goals.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
TITLES = {"goals.ptxp": "On natural numbers", "words.ptxp": "On words, as the PTX computes them"}


def our_figures():
    """What `cargo run --release --example index_goals` prints: by goal and tactics."""
    command = ["cargo", "run", "-q", "--release", "--example", "index_goals"]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    rows = map(json.loads, done.stdout.splitlines())
    return {(row["goal"], row["tactics"]): row for row in rows}


def milliseconds(ms):
    return f"{ms:.1f}" if ms < 10 else f"{ms:,.0f}"


def verdict(proved, ms):
    return f"{'proved' if proved else 'no'}, {milliseconds(ms)}"


def table(limit):
    """The figures as Markdown."""
    asked = {}
    for path in FILES:
        for theorem in theorems(path):
            asked[theorem[0]] = ask(theorem, limit)
            print(f"{theorem[0]}: {asked[theorem[0]][0]}", file=sys.stderr, flush=True)
    ours, lines, summary = our_figures(), [], []
    for path in FILES:
        closed, times, nodes = {"index": 0, "omega+simp": 0, "Z3": 0}, [], []
        rows = []
        for theorem in theorems(path):
            name = theorem[0]
            index, plain = ours[name, "index"], ours[name, "omega+simp"]
            answer, spent, _, _ = asked[name]
            closed["index"] += index["proved"]
            closed["omega+simp"] += plain["proved"]
            closed["Z3"] += answer == "proved"
            times.append(index["ms"])
            nodes.append(index["nodes"])
            rows.append(f"| `{name}` | {verdict(index['proved'], index['ms'])} | {index['by']} | {index['egraph']:,} | {index['nodes']:,} "
                        f"| {verdict(plain['proved'], plain['ms'])} | {verdict(answer == 'proved', spent)} |")
        counts = ", ".join(f"{who} {n}" for who, n in closed.items())
        summary.append(f"{TITLES[path.name]}: of {len(rows)} goals, {counts}. `index` takes {milliseconds(sum(times) / len(times))} "
                       f"ms on average and {milliseconds(max(times))} at most; the largest proof has {max(nodes):,} terms.")
        lines += [f"## {TITLES[path.name]}", "", "| goal | `index`, ms | by | e-graph | terms | `omega`, `simp`, ms | Z3, ms |",
                  "|---|---|---|---|---|---|---|", *rows, ""]
    return "\n".join([*("* " + s for s in summary), "", *lines])


def main(arguments):
    limit, only, files, bare, write = 10.0, None, FILES, "--z3" in arguments, "--write" in arguments
    rest = [a for a in arguments if a not in ("--z3", "--write")]
    while rest:
        a = rest.pop(0)
        if a == "--limit":
            limit = float(rest.pop(0))
        elif a == "--only":
            only = rest.pop(0)
        else:
            files = [Path(a)]
    if bare:
        for path in files:
            for theorem in theorems(path):
                if only in (None, theorem[0]):
                    answer, spent, width, at = ask(theorem, limit)
                    values = " ".join(f"{n}={v}" for n, v in at.items())
                    print(f"{theorem[0]}\t{answer}\t{spent:.0f} ms\t{width}\t{values}", flush=True)
        return 0
    figures = table(limit)
    if write:
        before, rest = PAGE.read_text().split(BEGIN)
        after = rest.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{figures}\n{END}{after}")
    else:
        print(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
