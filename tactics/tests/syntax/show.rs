//! Shows syntax trees with all brackets, so that tests can say how a text is read.

use tactics::syntax::ast::*;
use tactics::syntax::{Notations, Script, parse, parse_term};

/// The one term of `text`, shown. Panics with the errors if there are any.
pub fn term(text: &str) -> String {
    let (term, errors) = parse_term(text, &Notations::new());
    assert!(errors.is_empty(), "{text}: {errors:?}");
    show(&term.expect("a term when there is no error"))
}

/// The errors of a script: message, and the text that is underlined.
pub fn errors(text: &str) -> Vec<(String, String)> {
    parse(text)
        .errors
        .iter()
        .map(|e| (e.to_string(), text[e.span.range()].to_string()))
        .collect()
}

/// The only error of a script, with its hint.
pub fn error(text: &str) -> (String, String, String) {
    let script = parse(text);
    assert_eq!(script.errors.len(), 1, "{text}: {:?}", script.errors);
    let e = &script.errors[0];
    (
        e.to_string(),
        text[e.span.range()].to_string(),
        e.hint.clone().unwrap_or_default(),
    )
}

/// A script without errors.
pub fn script(text: &str) -> Script {
    let script = parse(text);
    assert!(script.errors.is_empty(), "{text}: {:?}", script.errors);
    script
}

/// The tactics of `theorem t : p := by …`, shown.
pub fn tactics(text: &str) -> String {
    let script = script(text);
    match &script.commands.last().expect("a command").kind {
        CommandKind::Decl(decl) => match &decl.value {
            DeclValue::Term(Term {
                kind: TermKind::By(block),
                ..
            }) => show_block(block),
            other => panic!("no `by` block: {other:?}"),
        },
        other => panic!("no declaration: {other:?}"),
    }
}

fn list<T>(items: &[T], sep: &str, f: impl Fn(&T) -> String) -> String {
    items.iter().map(f).collect::<Vec<_>>().join(sep)
}

fn name(n: &BinderName) -> String {
    n.name
        .as_ref()
        .map_or("_".to_string(), |id| id.name.to_string())
}

pub fn binder(b: &Binder) -> String {
    let mut s = list(&b.names, " ", name);
    if let Some(ty) = &b.ty {
        s += &format!(" : {}", show(ty));
    }
    if let Some(d) = &b.default {
        s += &format!(" := {}", show(d));
    }
    match b.kind {
        BinderKind::Explicit if b.ty.is_none() => s,
        BinderKind::Explicit => format!("({s})"),
        BinderKind::Implicit => format!("{{{s}}}"),
        BinderKind::StrictImplicit => format!("⦃{s}⦄"),
        BinderKind::InstImplicit => format!("[{s}]"),
    }
}

fn fun_binder(b: &FunBinder) -> String {
    match b {
        FunBinder::Binder(b) => binder(b),
        FunBinder::Pattern { pat, ty: None } => pattern(pat),
        FunBinder::Pattern { pat, ty: Some(ty) } => format!("({} : {})", pattern(pat), show(ty)),
    }
}

pub fn pattern(p: &Pattern) -> String {
    match &p.kind {
        PatternKind::Wild => "_".into(),
        PatternKind::Name(id) => id.name.to_string(),
        PatternKind::Ctor {
            name,
            explicit,
            dotted,
            args,
        } => {
            let mark = match (explicit, dotted) {
                (true, _) => "@",
                (_, true) => ".",
                _ => "",
            };
            let args = list(args, "", |a| match &a.name {
                Some(n) => format!(" ({} := {})", n.name, pattern(&a.pat)),
                None => format!(" {}", pattern(&a.pat)),
            });
            format!("({mark}{}{args})", name.name)
        }
        PatternKind::Num(n) => n.to_string(),
        PatternKind::Str(s) => format!("{s:?}"),
        PatternKind::Char(c) => format!("{c:?}"),
        PatternKind::Add(p, n) => format!("({} + {n})", pattern(p)),
        PatternKind::Binop { op, lhs, rhs } => {
            format!("({} {op:?} {})", pattern(lhs), pattern(rhs))
        }
        PatternKind::AnonCtor(ps) => format!("⟨{}⟩", list(ps, ", ", pattern)),
        PatternKind::Tuple(ps) => format!("({})", list(ps, ", ", pattern)),
        PatternKind::List(ps) => format!("[{}]", list(ps, ", ", pattern)),
        PatternKind::As(id, p) => format!("{}@{}", id.name, pattern(p)),
        PatternKind::Ascribe(p, ty) => format!("({} : {})", pattern(p), show(ty)),
        PatternKind::Inaccessible(e) => format!(".({})", show(e)),
    }
}

fn level(l: &Level) -> String {
    match &l.kind {
        LevelKind::Num(n) => n.to_string(),
        LevelKind::Param(id) => id.name.to_string(),
        LevelKind::Hole => "_".into(),
        LevelKind::Add(l, n) => format!("({}+{n})", level(l)),
        LevelKind::Max(ls) => format!("(max {})", list(ls, " ", level)),
        LevelKind::IMax(ls) => format!("(imax {})", list(ls, " ", level)),
    }
}

fn alts(list_: &[MatchAlt]) -> String {
    let row = |r: &Vec<Pattern>| format!("| {}", list(r, ", ", pattern));
    list(list_, " ", |a| {
        format!("{} => {}", list(&a.rows, " ", row), show(&a.rhs))
    })
}

fn let_decl(d: &LetDecl) -> String {
    let mut s = match &d.lhs {
        LetLhs::Name { name: n, binders } => format!(
            "{}{}",
            name(n),
            list(binders, "", |b| format!(" {}", fun_binder(b)))
        ),
        LetLhs::Anonymous => "this".into(),
        LetLhs::Pattern(p) => pattern(p),
    };
    if let Some(ty) = &d.ty {
        s += &format!(" : {}", show(ty));
    }
    match &d.value {
        Some(LetValue::Term(e)) => s + &format!(" := {}", show(e)),
        Some(LetValue::Alts(a)) => s + &format!(" {}", alts(a)),
        None => s,
    }
}

fn discr(d: &Discr) -> String {
    match &d.hyp {
        Some(h) => format!("{} : {}", name(h), show(&d.e)),
        None => show(&d.e),
    }
}

fn steps(s: &[CalcStep]) -> String {
    list(s, "; ", |s| match &s.proof {
        Some(p) => format!("{} := {}", show(&s.rel), show(p)),
        None => show(&s.rel),
    })
}

fn hyp(h: &Option<BinderName>) -> String {
    h.as_ref()
        .map_or(String::new(), |h| format!("{} : ", name(h)))
}

/// A term with brackets around everything that has parts.
pub fn show(t: &Term) -> String {
    match &t.kind {
        TermKind::Ident {
            id,
            levels,
            explicit,
        } => {
            let levels = levels
                .as_ref()
                .map_or(String::new(), |l| format!(".{{{}}}", list(l, ",", level)));
            format!("{}{}{levels}", if *explicit { "@" } else { "" }, id.name)
        }
        TermKind::Hole => "_".into(),
        TermKind::SynthHole(id) => format!("?{}", id.as_ref().map_or("_", |i| &i.name)),
        TermKind::DotIdent(id) => format!(".{}", id.name),
        TermKind::Num(n) => n.to_string(),
        TermKind::Str(s) => format!("{s:?}"),
        TermKind::Char(c) => format!("{c:?}"),
        TermKind::Prop => "Prop".into(),
        TermKind::Type(l) => format!(
            "Type{}",
            l.as_ref()
                .map_or(String::new(), |l| format!(" {}", level(l)))
        ),
        TermKind::Sort(l) => format!(
            "Sort{}",
            l.as_ref()
                .map_or(String::new(), |l| format!(" {}", level(l)))
        ),
        TermKind::App { fun, args } => {
            let args = list(args, "", |a| match &a.name {
                Some(n) => format!(" ({} := {})", n.name, show(&a.value)),
                None => format!(" {}", show(&a.value)),
            });
            format!("({}{args})", show(fun))
        }
        TermKind::Proj { e, index, .. } => format!("{}.{index}", show(e)),
        TermKind::Field { e, field } => format!("{}.{}", show(e), field.name),
        TermKind::Lam { binders, body } => {
            format!("(fun {} => {})", list(binders, " ", fun_binder), show(body))
        }
        TermKind::FunMatch(a) => format!("(fun {})", alts(a)),
        TermKind::Pi { binders, body } => {
            format!("(∀ {}, {})", list(binders, " ", binder), show(body))
        }
        TermKind::Arrow(a, b) => format!("({} → {})", show(a), show(b)),
        TermKind::Exists { binders, body } => {
            format!("(∃ {}, {})", list(binders, " ", binder), show(body))
        }
        TermKind::Sigma {
            binders,
            body,
            psigma,
        } => {
            format!(
                "(Σ{} {}, {})",
                if *psigma { "'" } else { "" },
                list(binders, " ", binder),
                show(body)
            )
        }
        TermKind::Subtype { name: n, ty, pred } => {
            let ty = ty
                .as_ref()
                .map_or(String::new(), |t| format!(" : {}", show(t)));
            format!("{{{}{ty} // {}}}", name(n), show(pred))
        }
        TermKind::Let(d, b) => format!("(let {}; {})", let_decl(d), show(b)),
        TermKind::Have(d, b) => format!("(have {}; {})", let_decl(d), show(b)),
        TermKind::Show { ty, proof } => format!("(show {} from {})", show(ty), show(proof)),
        TermKind::Suffices {
            name: n,
            ty,
            proof,
            body,
        } => {
            format!(
                "(suffices {}{} from {}; {})",
                hyp(n),
                show(ty),
                show(proof),
                show(body)
            )
        }
        TermKind::Match {
            motive,
            discrs,
            alts: a,
        } => {
            let motive = motive
                .as_ref()
                .map_or(String::new(), |m| format!("(motive := {}) ", show(m)));
            format!(
                "(match {motive}{} with {})",
                list(discrs, ", ", discr),
                alts(a)
            )
        }
        TermKind::If {
            hyp: h,
            cond,
            then,
            els,
        } => {
            format!(
                "(if {}{} then {} else {})",
                hyp(h),
                show(cond),
                show(then),
                show(els)
            )
        }
        TermKind::Ascribe(e, ty) => format!("({} : {})", show(e), show(ty)),
        TermKind::AnonCtor(es) => format!("⟨{}⟩", list(es, ", ", show)),
        TermKind::Tuple(es) => format!("({})", list(es, ", ", show)),
        TermKind::List(es) => format!("[{}]", list(es, ", ", show)),
        TermKind::StructInst {
            sources,
            fields,
            ty,
        } => {
            let sources = if sources.is_empty() {
                String::new()
            } else {
                format!("{} with ", list(sources, ", ", show))
            };
            let fields = list(fields, ", ", |f| match &f.value {
                Some(v) => format!("{} := {}", f.field.name, show(v)),
                None => f.field.name.to_string(),
            });
            let ty = ty
                .as_ref()
                .map_or(String::new(), |t| format!(" : {}", show(t)));
            format!("{{{sources}{fields}{ty}}}")
        }
        TermKind::Binop { op, lhs, rhs, .. } => format!("({} {op:?} {})", show(lhs), show(rhs)),
        TermKind::Unop { op, e, .. } => format!("({op:?} {})", show(e)),
        TermKind::UserOp { expansion, .. } => format!("«{}»", show(expansion)),
        TermKind::Subst { eq, e } => format!("({} ▸ {})", show(eq), show(e)),
        TermKind::TypeAssumption(p) => format!("‹{}›", show(p)),
        TermKind::By(b) => format!("(by {})", show_block(b)),
        TermKind::Calc(s) => format!("(calc {})", steps(s)),
        TermKind::Sorry => "sorry".into(),
        TermKind::Error => "ERROR".into(),
    }
}

/// Tactics in braces.
pub fn show_block(b: &TacticBlock) -> String {
    format!("{{{}}}", list(&b.tactics, "; ", show_tactic))
}

fn loc(l: &Option<Location>) -> String {
    l.as_ref().map_or(String::new(), |l| {
        let hyps = list(&l.hyps, "", |h| format!(" {}", h.name));
        format!(
            " at{hyps}{}{}",
            if l.goal { " ⊢" } else { "" },
            if l.everywhere { " *" } else { "" }
        )
    })
}

fn rpattern(p: &RPattern) -> String {
    match &p.kind {
        RPatternKind::Wild => "_".into(),
        RPatternKind::Name(id) => id.name.to_string(),
        RPatternKind::Rfl => "rfl".into(),
        RPatternKind::Clear => "-".into(),
        RPatternKind::Tuple(ps) => format!("⟨{}⟩", list(ps, ", ", rpattern)),
        RPatternKind::Alts(ps) => format!("({})", list(ps, " | ", rpattern)),
        RPatternKind::Typed(p, ty) => format!("({} : {})", rpattern(p), show(ty)),
    }
}

fn induction_alts(a: &Option<Vec<InductionAlt>>) -> String {
    let head = |h: &InductionAltHead| {
        let ctor = h.ctor.as_ref().map_or("_", |c| &c.name);
        format!(
            "| {}{ctor}{}",
            if h.explicit { "@" } else { "" },
            list(&h.vars, "", |v| format!(" {}", name(v)))
        )
    };
    a.as_ref().map_or(String::new(), |a| {
        format!(
            " with {}",
            list(a, " ", |a| format!(
                "{} => {}",
                list(&a.heads, " ", head),
                show_block(&a.body)
            ))
        )
    })
}

fn simp_args(args: &[SimpArg]) -> String {
    let arg = |a: &SimpArg| match &a.kind {
        SimpArgKind::Star => "*".to_string(),
        SimpArgKind::Minus(id) => format!("-{}", id.name),
        SimpArgKind::Rule { rev, term } => format!("{}{}", if *rev { "←" } else { "" }, show(term)),
    };
    format!("[{}]", list(args, ", ", arg))
}

fn opt(word: &str, t: &Option<Term>) -> String {
    t.as_ref()
        .map_or(String::new(), |t| format!(" {word} {}", show(t)))
}

/// A tactic on one line.
pub fn show_tactic(t: &Tactic) -> String {
    let names = |n: &[BinderName]| list(n, "", |n| format!(" {}", name(n)));
    let idents = |n: &[Ident]| list(n, "", |n| format!(" {}", n.name));
    match &t.kind {
        TacticKind::Intro(b) => format!("intro{}", list(b, "", |b| format!(" {}", fun_binder(b)))),
        TacticKind::Intros(n) => format!("intros{}", names(n)),
        TacticKind::RIntro(p) => format!("rintro {}", list(p, " ", rpattern)),
        TacticKind::Exact(t) => format!("exact {}", show(t)),
        TacticKind::Apply(t) => format!("apply {}", show(t)),
        TacticKind::Refine(t) => format!("refine {}", show(t)),
        TacticKind::Specialize(t) => format!("specialize {}", show(t)),
        TacticKind::Cases {
            targets,
            using,
            alts,
        } => {
            format!(
                "cases {}{}{}",
                list(targets, ", ", discr),
                opt("using", using),
                induction_alts(alts)
            )
        }
        TacticKind::CasesPrime { target, with } => format!(
            "cases' {} with {}",
            discr(target),
            list(with, " ", rpattern)
        ),
        TacticKind::Induction {
            targets,
            using,
            generalizing,
            alts,
        } => {
            let g = if generalizing.is_empty() {
                String::new()
            } else {
                format!(" generalizing{}", idents(generalizing))
            };
            format!(
                "induction {}{}{g}{}",
                list(targets, ", ", discr),
                opt("using", using),
                induction_alts(alts)
            )
        }
        TacticKind::RCases { targets, with } => {
            let with = with
                .as_ref()
                .map_or(String::new(), |p| format!(" with {}", rpattern(p)));
            format!("rcases {}{with}", list(targets, ", ", discr))
        }
        TacticKind::Obtain { pat, ty, value } => {
            let pat = pat
                .as_ref()
                .map_or(String::new(), |p| format!(" {}", rpattern(p)));
            format!("obtain{pat}{}{}", opt(":", ty), opt(":=", value))
        }
        TacticKind::Rw {
            flavour,
            rules,
            loc: l,
        } => {
            let rule = |r: &RwRule| format!("{}{}", if r.rev { "←" } else { "" }, show(&r.term));
            format!("{flavour:?} [{}]{}", list(rules, ", ", rule), loc(l))
        }
        TacticKind::Simp {
            flavour,
            only,
            contextual,
            args,
            using,
            loc: l,
        } => format!(
            "{flavour:?}{}{}{}{}{}",
            if *contextual { " +contextual" } else { "" },
            if *only { " only" } else { "" },
            args.as_ref()
                .map_or(String::new(), |a| format!(" {}", simp_args(a))),
            loc(l),
            opt("using", using)
        ),
        TacticKind::Unfold { names: n, loc: l } => format!("unfold{}{}", idents(n), loc(l)),
        TacticKind::Exists(t) => format!("exists {}", list(t, ", ", show)),
        TacticKind::Use(t) => format!("use {}", list(t, ", ", show)),
        TacticKind::Have(d) => format!("have {}", let_decl(d)),
        TacticKind::Let(d) => format!("let {}", let_decl(d)),
        TacticKind::Suffices { name: n, ty, proof } => {
            format!("suffices {}{}{}", hyp(n), show(ty), opt("from", proof))
        }
        TacticKind::Show { ty, proof } => format!("show {}{}", show(ty), opt("from", proof)),
        TacticKind::Change { ty, loc: l } => format!("change {}{}", show(ty), loc(l)),
        TacticKind::Subst(t) => format!("subst {}", list(t, " ", show)),
        TacticKind::Ext(p) => format!("ext {}", list(p, " ", rpattern)),
        TacticKind::ByCases { hyp: h, prop } => format!("by_cases {}{}", hyp(h), show(prop)),
        TacticKind::Generalize { args, loc: l } => {
            let arg =
                |a: &GeneralizeArg| format!("{}{} = {}", hyp(&a.hyp), show(&a.e), name(&a.var));
            format!("generalize {}{}", list(args, ", ", arg), loc(l))
        }
        TacticKind::Clear(n) => format!("clear{}", idents(n)),
        TacticKind::Revert(n) => format!("revert{}", idents(n)),
        TacticKind::First(b) => format!("first {}", list(b, " | ", show_block)),
        TacticKind::Try(b) => format!("try {}", show_block(b)),
        TacticKind::Repeat(b) => format!("repeat {}", show_block(b)),
        TacticKind::AllGoals(b) => format!("all_goals {}", show_block(b)),
        TacticKind::AnyGoals(b) => format!("any_goals {}", show_block(b)),
        TacticKind::AndThen(a, b) => format!("({} <;> {})", show_tactic(a), show_tactic(b)),
        TacticKind::Case { tags, body } => {
            format!(
                "case {} => {}",
                list(tags, " | ", |t| format!(
                    "{}{}",
                    name(&t.tag),
                    names(&t.vars)
                )),
                show_block(body)
            )
        }
        TacticKind::Next { names: n, body } => format!("next{} => {}", names(n), show_block(body)),
        TacticKind::Focus(b) => format!("· {}", show_block(b)),
        TacticKind::Paren(b) => format!("({})", show_block(b)),
        TacticKind::Calc(s) => format!("calc {}", steps(s)),
        TacticKind::Match { discrs, alts } => {
            let row = |r: &Vec<Pattern>| format!("| {}", list(r, ", ", pattern));
            let alt = |a: &TacticMatchAlt| {
                format!("{} => {}", list(&a.rows, " ", row), show_block(&a.body))
            };
            format!(
                "match {} with {}",
                list(discrs, ", ", discr),
                list(alts, " ", alt)
            )
        }
        TacticKind::Named { name, args } => format!(
            "{}{}",
            name.name,
            list(args, "", |a| format!(" {}", tactic_arg(a)))
        ),
        TacticKind::Congr(n) => format!(
            "congr{}",
            n.as_ref()
                .map_or(String::new(), |n| format!(" {}", n.value))
        ),
        TacticKind::Split(l) => format!("split{}", loc(l)),
        TacticKind::SplitIfs { names: n, loc: l } => {
            format!("split_ifs{} with{}", loc(l), names(n))
        }
        TacticKind::RenameI(n) => format!("rename_i{}", names(n)),
        TacticKind::Funext(n) => format!("funext{}", names(n)),
        TacticKind::Symm(l) => format!("symm{}", loc(l)),
        TacticKind::Trans(t) => format!("trans{}", opt("", t)),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn tactic_arg(a: &TacticArg) -> String {
    match &a.kind {
        TacticArgKind::Term(t) => show(t),
        TacticArgKind::Assign(n, t) => format!("({} := {})", n.name, show(t)),
        TacticArgKind::List(args) => simp_args(args),
        TacticArgKind::Colon(t) => format!(": {}", show(t)),
        TacticArgKind::At(l) => loc(&Some(l.clone())).trim_start().to_string(),
        TacticArgKind::With(p) => format!("with {}", list(p, " ", rpattern)),
        TacticArgKind::Alts(a) => induction_alts(&Some(a.clone())).trim_start().to_string(),
        TacticArgKind::Using(t) => format!("using {}", show(t)),
        TacticArgKind::Generalizing(n) => {
            format!("generalizing {}", list(n, " ", |n| n.name.to_string()))
        }
        TacticArgKind::From(t) => format!("from {}", show(t)),
        TacticArgKind::Value(t) => format!(":= {}", show(t)),
        TacticArgKind::Block(b) => format!("=> {}", show_block(b)),
    }
}
