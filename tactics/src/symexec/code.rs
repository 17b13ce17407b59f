//! The lines of a kernel, read from its term.

use logic::{Expr, Node};
use num_traits::ToPrimitive;

use crate::meta::{Elab, ElabError, Result};

/// A register: its width and its number among those of this width.
pub(super) type Reg = (u32, u64);

/// A source operand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Its width.
    pub width: u32,
    /// The term.
    pub term: Expr,
    /// What it is.
    pub kind: SourceKind,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum SourceKind {
    /// A register by number.
    Reg(u64),
    /// A literal, as a term.
    Imm(Expr),
    /// A register of another width.
    Other(u32, u64),
    /// The complement of a register.
    Compl(u64),
    /// The address of a variable, and an offset.
    Sym(u64, u64),
}

/// Where a result goes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dst {
    /// A register.
    Reg(Reg),
    /// A result of fewer bits in a register, extended by its sign (the term) or by zeros.
    Wide(u32, Reg, Expr),
    /// Nowhere.
    Sink(u32),
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The term.
    pub term: Expr,
    /// The state space, the path, and the strength.
    pub space: Space,
    pub nc: Expr,
    pub weak: bool,
}

/// State spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    Global,
    Shared,
    Local,
    Generic,
    /// A generic address in the window of shared memory.
    Window,
}

/// What a line does.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// `dst := f F srcs`.
    Alu {
        out: u32,
        f: Expr,
        dst: u64,
        srcs: Vec<Source>,
    },
    /// `dsts := f F srcs`, cut.
    Several {
        ins: Expr,
        out: u32,
        f: Expr,
        dsts: Vec<Dst>,
        lists: Vec<Expr>,
        srcs: Vec<Source>,
        operands: Vec<Expr>,
    },
    /// A request for synchronisation.
    Sync {
        kind: Expr,
        ins: Expr,
        dsts: Vec<Dst>,
        lists: Vec<Expr>,
        srcs: Vec<Source>,
        operands: Vec<Expr>,
    },
    /// A special register.
    Special { dst: u64, which: Expr },
    /// A parameter of the entry.
    Param {
        ty: Expr,
        width: u32,
        dst: u64,
        param: u64,
        off: u64,
    },
    /// A load.
    Load {
        access: Access,
        ty: Expr,
        width: u32,
        dsts: Vec<u64>,
        /// The suffixes of the list of destinations.
        lists: Vec<Expr>,
        base: Source,
        off: Expr,
    },
    /// A store.
    Store {
        access: Access,
        ty: Expr,
        width: u32,
        srcs: Vec<Source>,
        lists: Vec<Expr>,
        base: Source,
        off: Expr,
    },
    /// A variable of calls is read.
    GetParam {
        ty: Expr,
        width: u32,
        dst: u64,
        slot: Reg,
        off: u64,
        /// It is read as it is.
        whole: bool,
    },
    /// A variable of calls is written.
    PutParam {
        ty: Expr,
        src: Source,
        slot: Reg,
        off: u64,
        /// All of its bytes are written.
        whole: bool,
    },
    /// An atomic operation on a word.
    Atomic {
        access: Access,
        width: u32,
        ins: Expr,
        f: Expr,
        dst: Dst,
        dst_term: Expr,
        srcs: Vec<Source>,
        operands: Vec<Expr>,
        base: Source,
        off: Expr,
    },
    /// The generic address of an address in a window.
    Generic { space: Expr, dst: u64, src: Source },
    /// What there is no lemma for: its text.
    Unknown(String),
    /// A call of a function by number.
    Call {
        func: u64,
        args: Vec<Reg>,
        outs: Vec<Reg>,
        /// The lists as terms.
        args_term: Expr,
        outs_term: Expr,
    },
    /// A branch to a line.
    Branch {
        target: u64,
        label: String,
        to: usize,
    },
    /// The end of the call, or of the thread.
    Ret,
    /// The end of the thread.
    Exit,
}

/// A line.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// The guard: its predicate and whether it is negated, and the term.
    pub guard: Option<(u64, bool, Expr)>,
    /// `Option Guard`.
    pub guard_term: Expr,
    /// The instruction's term.
    pub instr: Expr,
    /// What it does.
    pub shape: Shape,
    /// This line and those after it.
    pub rest: Expr,
    /// The line's term.
    pub term: Expr,
}

/// All lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub lines: Vec<Line>,
    /// The list after the last line.
    pub end: Option<Expr>,
    /// Labels: name and line.
    pub labels: Vec<(String, usize)>,
}

/// The constructor at the head of a term, without its type's name, and its arguments.
pub(super) fn constructor(el: &mut Elab<'_>, e: Expr) -> Option<(String, Vec<Expr>)> {
    let mut e = e;
    for _ in 0..2 {
        let (f, args) = el.st.unfold_app(e);
        if let Node::Const(n, _) = el.st.node(f)
            && matches!(el.env.get(n), Some(logic::ConstantInfo::Constructor(_)))
        {
            return Some((el.st.name_last(n)?.to_owned(), args));
        }
        e = el.whnf(e);
    }
    None
}

/// A literal number.
pub(super) fn number(el: &mut Elab<'_>, e: Expr) -> Option<u64> {
    let e = el.whnf(e);
    match el.st.node(e) {
        Node::Nat(n) => n.to_u64(),
        _ => match constructor(el, e)? {
            (c, _) if c == "zero" => Some(0),
            _ => None,
        },
    }
}

/// The name of what a meaning (`fun F => ptx.…`) computes by; empty if it has none.
pub(super) fn operation(el: &Elab<'_>, f: Expr) -> String {
    let mut body = f;
    while let Node::Lam(_, _, b, _) = el.st.node(body) {
        body = b;
    }
    el.head_const(body)
        .map(|n| el.st.name_to_string(n))
        .unwrap_or_default()
}

/// A truth value.
pub(super) fn truth(el: &mut Elab<'_>, e: Expr) -> Option<bool> {
    let (c, _) = constructor(el, e)?;
    Some(c == "true")
}

fn text(el: &mut Elab<'_>, e: Expr) -> Option<String> {
    let e = el.whnf(e);
    match el.st.node(e) {
        Node::Str(s) => Some(s.to_string()),
        _ => None,
    }
}

/// The items of a list, and all its suffixes (one more than the items).
pub(super) fn list(el: &mut Elab<'_>, e: Expr) -> Option<(Vec<Expr>, Vec<Expr>)> {
    let (mut items, mut suffixes) = (Vec::new(), Vec::new());
    let mut cur = e;
    loop {
        let (c, args) = constructor(el, cur)?;
        if c == "nil" {
            suffixes.push(cur);
            return Some((items, suffixes));
        }
        suffixes.push(cur);
        items.push(args[1]);
        cur = args[2];
        el.tick();
    }
}

fn width(el: &mut Elab<'_>, e: Expr) -> Option<u32> {
    number(el, e).and_then(|n| u32::try_from(n).ok())
}

/// An operand.
fn source(el: &mut Elab<'_>, term: Expr) -> Option<Source> {
    let (c, args) = constructor(el, term)?;
    let width = width(el, args[0])?;
    let kind = match c.as_str() {
        "reg" => SourceKind::Reg(number(el, args[1])?),
        "imm" => SourceKind::Imm(args[1]),
        "other" => SourceKind::Other(
            u32::try_from(number(el, args[1])?).ok()?,
            number(el, args[2])?,
        ),
        "compl" => SourceKind::Compl(number(el, args[1])?),
        "sym" => SourceKind::Sym(number(el, args[1])?, number(el, args[2])?),
        _ => return None,
    };
    Some(Source { width, term, kind })
}

/// Operands, and what is left of their list before each and after the last.
fn sources(el: &mut Elab<'_>, e: Expr) -> Option<(Vec<Source>, Vec<Expr>)> {
    let (mut out, mut rests) = (Vec::new(), vec![e]);
    let mut cur = e;
    loop {
        let (c, args) = constructor(el, cur)?;
        if c == "nil" {
            return Some((out, rests));
        }
        out.push(source(el, args[2])?);
        cur = args[3];
        rests.push(cur);
    }
}

fn destination(el: &mut Elab<'_>, e: Expr) -> Option<Dst> {
    let (c, a) = constructor(el, e)?;
    Some(match c.as_str() {
        "reg" => Dst::Reg((width(el, a[0])?, number(el, a[1])?)),
        "wide" => Dst::Wide(
            width(el, a[0])?,
            (width(el, a[1])?, number(el, a[2])?),
            a[3],
        ),
        "sink" => Dst::Sink(width(el, a[0])?),
        _ => return None,
    })
}

fn destinations(el: &mut Elab<'_>, e: Expr) -> Option<(Vec<Dst>, Vec<Expr>)> {
    let (items, lists) = list(el, e)?;
    let dsts = items
        .iter()
        .map(|d| destination(el, *d))
        .collect::<Option<Vec<_>>>()?;
    Some((dsts, lists))
}

/// A register, `Reg.mk w i`.
fn register(el: &mut Elab<'_>, e: Expr) -> Option<Reg> {
    let (_, a) = constructor(el, e)?;
    Some((width(el, a[0])?, number(el, a[1])?))
}

/// A list of registers.
pub(super) fn registers(el: &mut Elab<'_>, e: Expr) -> Option<Vec<Reg>> {
    let (items, _) = list(el, e)?;
    items.iter().map(|r| register(el, *r)).collect()
}

/// The size of a type, in bits.
fn bits(el: &mut Elab<'_>, ty: Expr) -> Option<u64> {
    let bytes = el.st.app(el.st.const0("Ptx.MemTy.bytes"), ty);
    number(el, bytes)?.checked_mul(8)
}

fn access(el: &mut Elab<'_>, term: Expr) -> Option<Access> {
    let (_, a) = constructor(el, term)?;
    let (space, _) = constructor(el, a[0])?;
    let (sem, _) = constructor(el, a[2])?;
    let space = match space.as_str() {
        "global" => Space::Global,
        "shared" => Space::Shared,
        "local" => Space::Local,
        _ => Space::Generic,
    };
    Some(Access {
        term,
        space,
        nc: a[1],
        weak: sem == "weak",
    })
}

fn shape(el: &mut Elab<'_>, instr: Expr, labels: &[(String, usize)]) -> Option<Shape> {
    let (c, a) = constructor(el, instr)?;
    Some(match c.as_str() {
        "alu" => Shape::Alu {
            out: width(el, a[1])?,
            f: a[2],
            dst: number(el, a[3])?,
            srcs: sources(el, a[4])?.0,
        },
        "alus" => {
            let (dsts, lists) = destinations(el, a[3])?;
            let (srcs, operands) = sources(el, a[4])?;
            Shape::Several {
                ins: a[0],
                out: width(el, a[1])?,
                f: a[2],
                dsts,
                lists,
                srcs,
                operands,
            }
        }
        "sync" => {
            let (dsts, lists) = destinations(el, a[2])?;
            let (srcs, operands) = sources(el, a[3])?;
            Shape::Sync {
                kind: a[0],
                ins: a[1],
                dsts,
                lists,
                srcs,
                operands,
            }
        }
        "sreg" => Shape::Special {
            dst: number(el, a[0])?,
            which: a[1],
        },
        "ldParam" => Shape::Param {
            ty: a[0],
            width: width(el, a[1])?,
            dst: number(el, a[2])?,
            param: number(el, a[3])?,
            off: number(el, a[4])?,
        },
        "ld" | "st" => {
            let access = access(el, a[0])?;
            let (items, lists) = list(el, a[3])?;
            let base = source(el, a[4])?;
            let (ty, width, off) = (a[1], width(el, a[2])?, a[5]);
            if c == "ld" {
                let dsts = items
                    .iter()
                    .map(|d| number(el, *d))
                    .collect::<Option<Vec<_>>>()?;
                Shape::Load {
                    access,
                    ty,
                    width,
                    dsts,
                    lists,
                    base,
                    off,
                }
            } else {
                let srcs = items
                    .iter()
                    .map(|s| source(el, *s))
                    .collect::<Option<Vec<_>>>()?;
                Shape::Store {
                    access,
                    ty,
                    width,
                    srcs,
                    lists,
                    base,
                    off,
                }
            }
        }
        "atom" => {
            let (srcs, operands) = sources(el, a[5])?;
            Shape::Atomic {
                access: access(el, a[0])?,
                width: width(el, a[1])?,
                ins: a[2],
                f: a[3],
                dst: destination(el, a[4])?,
                dst_term: a[4],
                srcs,
                operands,
                base: source(el, a[6])?,
                off: a[7],
            }
        }
        "cvta" if !truth(el, a[0])? => Shape::Generic {
            space: a[1],
            dst: number(el, a[2])?,
            src: source(el, a[3])?,
        },
        "getParam" => {
            let (width, slot, off) = (width(el, a[1])?, register(el, a[3])?, number(el, a[4])?);
            Shape::GetParam {
                ty: a[0],
                width,
                dst: number(el, a[2])?,
                slot,
                off,
                whole: off == 0 && width == slot.0 && bits(el, a[0])? == u64::from(width),
            }
        }
        "putParam" => {
            let (src, slot, off) = (source(el, a[2])?, register(el, a[3])?, number(el, a[4])?);
            let all = bits(el, a[0])?;
            Shape::PutParam {
                ty: a[0],
                src,
                slot,
                off,
                whole: off == 0 && src.width == slot.0 && all == u64::from(slot.0),
            }
        }
        "call" => Shape::Call {
            func: number(el, a[0])?,
            args: registers(el, a[1])?,
            outs: registers(el, a[2])?,
            args_term: a[1],
            outs_term: a[2],
        },
        "bra" => {
            let target = number(el, a[0])?;
            let (label, to) = labels.get(usize::try_from(target).ok()?)?.clone();
            Shape::Branch { target, label, to }
        }
        "ret" => Shape::Ret,
        "exit" => Shape::Exit,
        _ => return None,
    })
}

fn unknown(what: &str) -> ElabError {
    ElabError::msg(format!("`symexec` cannot read the kernel: {what}")).code("symexec.kernel")
}

/// Reads the fields of a kernel: its lines, and its functions.
///
/// Errors: the term is not the data of a kernel.
pub(super) fn read(el: &mut Elab<'_>, kernel: Expr) -> Result<(Code, Vec<Expr>)> {
    let Some((_, fields)) = constructor(el, kernel) else {
        let k = el.pp(kernel);
        return Err(unknown(&format!("`{k}` is not known as data")));
    };
    let Some((functions, _)) = list(el, fields[8]) else {
        return Err(unknown("its functions are not known"));
    };
    Ok((lines(el, fields[3], fields[4])?, functions))
}

/// Reads labels and lines.
///
/// Errors: as for [`read`].
pub(super) fn lines(el: &mut Elab<'_>, labels: Expr, body: Expr) -> Result<Code> {
    let Some((items, _)) = list(el, labels) else {
        return Err(unknown("its labels are not known"));
    };
    let mut labels = Vec::new();
    for l in items {
        let pair = constructor(el, l).and_then(|(_, a)| Some((text(el, a[2])?, number(el, a[3])?)));
        let Some((name, at)) = pair else {
            return Err(unknown("its labels are not known"));
        };
        labels.push((name, usize::try_from(at).unwrap_or(usize::MAX)));
    }
    let Some((items, suffixes)) = list(el, body) else {
        return Err(unknown("its lines are not known"));
    };
    let mut lines = Vec::new();
    for (i, term) in items.iter().enumerate() {
        let Some((_, parts)) = constructor(el, *term) else {
            return Err(unknown("a line is not known"));
        };
        let guard = match constructor(el, parts[0]) {
            Some((c, _)) if c == "none" => None,
            Some((_, a)) => {
                let g = a[1];
                let Some((_, ga)) = constructor(el, g) else {
                    return Err(unknown("a guard is not known"));
                };
                let (Some(p), Some(neg)) = (number(el, ga[0]), truth(el, ga[1])) else {
                    return Err(unknown("a guard is not known"));
                };
                Some((p, neg, g))
            }
            None => return Err(unknown("a guard is not known")),
        };
        let shape = match shape(el, parts[1], &labels) {
            Some(s) => s,
            None => Shape::Unknown(el.pp_short(parts[1])),
        };
        lines.push(Line {
            guard,
            guard_term: parts[0],
            instr: parts[1],
            shape,
            rest: suffixes[i],
            term: *term,
        });
    }
    Ok(Code {
        lines,
        end: suffixes.last().copied(),
        labels,
    })
}

impl Code {
    /// The label of a line, without its dollar sign.
    pub fn label_of(&self, line: usize) -> String {
        let label = self.labels.iter().find(|(_, at)| *at == line);
        match label {
            Some((n, _)) => n.trim_start_matches('$').to_owned(),
            None => format!("line_{line}"),
        }
    }
}
