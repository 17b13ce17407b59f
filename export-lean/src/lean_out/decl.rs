//! Declarations in Lean's surface syntax.

use logic::{
    ConstantInfo, ConstructorInfo, Environment, Expr, Hint, InductiveInfo, Name, Node, Signature,
    Store,
};
use rustc_hash::FxHashSet;

use super::layout::Doc;
use super::term::{Context, Printer, Stop};

/// Writes declarations.
pub(super) struct Writer<'c, 'b> {
    pub st: &'b Store<'b>,
    pub cx: &'c mut Context,
    /// Structures that Lean's command `structure` declares, because something projects from them.
    pub structures: &'c FxHashSet<Name>,
}

type Res<T> = Result<T, Stop>;

impl<'b> Writer<'_, 'b> {
    fn printer(&mut self, within: Name) -> Printer<'_, 'b> {
        let mut printer = Printer::new(self.st, self.cx);
        printer.within = within;
        printer
    }

    /// `.{u, v}` behind the name of a constant that is declared.
    fn params(&mut self, sig: &Signature) -> Res<String> {
        let levels: Vec<_> = sig
            .univ_params
            .iter()
            .map(|n| self.st.level_param(*n))
            .collect();
        let name = sig.name;
        self.printer(name).levels(name, &levels)
    }

    /// An axiom, definition, theorem or opaque constant.
    pub fn one(&mut self, c: &ConstantInfo) -> Res<String> {
        let (keyword, value) = match c {
            ConstantInfo::Axiom { .. } => ("axiom", None),
            ConstantInfo::Definition { value, hint, .. } => {
                let keyword = match hint {
                    Hint::Abbrev => "@[reducible] def",
                    _ => "def",
                };
                (keyword, Some(*value))
            }
            ConstantInfo::Theorem { value, .. } => ("theorem", Some(*value)),
            ConstantInfo::Opaque { value, .. } => ("opaque", Some(*value)),
            _ => return Err(Stop::Inexpressible("not a single constant")),
        };
        let sig = c.sig();
        let params = self.params(sig)?;
        let mut out = format!("{keyword} {}{params} :", self.cx.names.get(sig.name));
        let mut printer = self.printer(sig.name);
        printer.univ_params.clone_from(&sig.univ_params);
        let ty = printer.closed(sig.ty)?;
        Doc::group(vec![Doc::Line, ty]).render(2, &mut out);
        if let Some(value) = value {
            out.push_str(" :=\n  ");
            printer.closed(value)?.render(2, &mut out);
        }
        out.push('\n');
        Ok(with_parts(&printer.parts, out))
    }

    /// The statement of a theorem as a definition.
    pub fn statement(&mut self, sig: &Signature) -> Res<String> {
        let params = self.params(sig)?;
        let name = self.cx.names.get(sig.name);
        let mut out = format!("def {name}.statement{params} : Prop :=\n  ");
        let mut printer = self.printer(sig.name);
        printer.univ_params.clone_from(&sig.univ_params);
        printer.closed(sig.ty)?.render(2, &mut out);
        out.push('\n');
        Ok(with_parts(&printer.parts, out))
    }

    /// Inductive types defined together.
    pub fn inductive(
        &mut self,
        types: &[&InductiveInfo],
        ctors: &[&ConstructorInfo],
    ) -> Res<String> {
        if let ([t], [c]) = (types, ctors)
            && self.structures.contains(&t.sig.name)
        {
            return self.structure(t, c);
        }
        let own: FxHashSet<Name> = types.iter().map(|t| t.sig.name).collect();
        let mut out = String::new();
        if types.len() > 1 {
            out.push_str("mutual\n");
        }
        for t in types {
            let params = self.params(&t.sig)?;
            out.push_str(&format!(
                "inductive {}{params}",
                self.cx.names.get(t.sig.name)
            ));
            let mut printer = self.printer(t.sig.name);
            let rest = bind_params(&mut printer, t.sig.ty, t.num_params, &mut out)?;
            let ty = printer.term(rest)?;
            let names = printer.scope();
            Doc::group(vec![Doc::text(" :"), Doc::Line, ty, Doc::text(" where")])
                .render(2, &mut out);
            out.push('\n');
            for c in ctors.iter().filter(|c| c.inductive == t.sig.name) {
                let short = short_name(self.st, c)?;
                let mut printer = self.printer(t.sig.name);
                printer.own_types = own.clone();
                let rest = reuse_params(&mut printer, c.sig.ty, &names)?;
                let ty = printer.term(rest)?;
                out.push_str(&format!("  | {short} :"));
                Doc::group(vec![Doc::Line, ty]).render(4, &mut out);
                out.push('\n');
            }
        }
        if types.len() > 1 {
            out.push_str("end\n");
        }
        Ok(out)
    }

    fn structure(&mut self, t: &InductiveInfo, c: &ConstructorInfo) -> Res<String> {
        let params = self.params(&t.sig)?;
        let mut out = format!("structure {}{params}", self.cx.names.get(t.sig.name));
        let short = short_name(self.st, c)?;
        let mut printer = self.printer(t.sig.name);
        let rest = bind_params(&mut printer, t.sig.ty, t.num_params, &mut out)?;
        let sort = printer.term(rest)?;
        let names = printer.scope();
        Doc::group(vec![Doc::text(" :"), Doc::Line, sort, Doc::text(" where")]).render(2, &mut out);
        out.push_str(&format!("\n  {short} ::\n"));
        let mut printer = self.printer(t.sig.name);
        let mut cur = reuse_params(&mut printer, c.sig.ty, &names)?;
        while let Node::Pi(n, ty, body, _) = printer.node(cur) {
            let field = printer.field(n, ty)?;
            out.push_str("  ");
            field.render(2, &mut out);
            out.push('\n');
            cur = body;
        }
        Ok(out)
    }
}

/// A declaration after the definitions of its parts.
fn with_parts(parts: &[String], declaration: String) -> String {
    let mut out = String::new();
    for p in parts {
        out.push_str(p);
        out.push('\n');
    }
    out + &declaration
}

/// Writes the first `count` binders of a type as parameters and returns what is below them.
fn bind_params(printer: &mut Printer<'_, '_>, ty: Expr, count: u32, out: &mut String) -> Res<Expr> {
    let mut cur = ty;
    for _ in 0..count {
        let Node::Pi(n, ty, body, _) = printer.node(cur) else {
            return Err(Stop::Inexpressible("fewer binders than parameters"));
        };
        out.push(' ');
        printer.binder(n, ty)?.render(2, out);
        cur = body;
    }
    Ok(cur)
}

/// Enters the parameters of a constructor under the names that they have in its type's header.
fn reuse_params(printer: &mut Printer<'_, '_>, ty: Expr, names: &[String]) -> Res<Expr> {
    let mut cur = ty;
    for name in names {
        let Node::Pi(_, _, body, _) = printer.node(cur) else {
            return Err(Stop::Inexpressible("fewer binders than parameters"));
        };
        printer.bind_as(name.clone());
        cur = body;
    }
    Ok(cur)
}

/// The constructor's name without that of its type.
fn short_name(st: &Store<'_>, c: &ConstructorInfo) -> Res<String> {
    if st.name_prefix(c.sig.name) != c.inductive {
        return Err(Stop::Inexpressible(
            "a constructor outside of its type's namespace",
        ));
    }
    st.name_last(c.sig.name)
        .and_then(super::names::component)
        .ok_or(Stop::Inexpressible("a constructor's name"))
}

/// Whether a constant is the projection function of field `i` that Lean's command `structure` would make, and of
/// which structure.
pub(super) fn projection_of(env: &Environment<'_>, c: &ConstantInfo) -> Option<(Name, u32)> {
    let st = env.store();
    let (sig, value) = match c {
        ConstantInfo::Definition { sig, value, .. } | ConstantInfo::Theorem { sig, value } => {
            (sig, *value)
        }
        _ => return None,
    };
    let structure = st.name_prefix(sig.name);
    let Some(ConstantInfo::Inductive(t)) = env.get(structure) else {
        return None;
    };
    if t.sig.univ_params != sig.univ_params {
        return None;
    }
    let mut cur = value;
    for _ in 0..=t.num_params {
        let Node::Lam(_, _, body, _) = st.node(cur) else {
            return None;
        };
        cur = body;
    }
    match st.node(cur) {
        Node::Proj(s, i, e) if s == structure && matches!(st.node(e), Node::BVar(0)) => {
            let Some(ConstantInfo::Constructor(k)) = env.get(*t.ctors.first()?) else {
                return None;
            };
            let field = binder_name(st, k.sig.ty, k.num_params + i)?;
            (st.name_str(structure, st.name_last(field)?) == sig.name).then_some((structure, i))
        }
        _ => None,
    }
}

/// The name of binder `i` of a type.
fn binder_name(st: &Store<'_>, ty: Expr, i: u32) -> Option<Name> {
    let mut cur = ty;
    for _ in 0..i {
        let Node::Pi(_, _, body, _) = st.node(cur) else {
            return None;
        };
        cur = body;
    }
    match st.node(cur) {
        Node::Pi(n, ..) => Some(n),
        _ => None,
    }
}

/// The constants that take `@` because Lean makes them with implicit arguments.
pub(super) fn takes_at(c: &ConstantInfo) -> bool {
    matches!(
        c,
        ConstantInfo::Constructor(_) | ConstantInfo::Recursor(_) | ConstantInfo::Quot { .. }
    )
}
