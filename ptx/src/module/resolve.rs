//! A module's names: variables and functions at the top, then each function's body.
//!
//! Names at the top may be used before they are declared, as function prototypes and tables of functions need; a
//! prototype and the definition after it are one function, an `.extern` declaration and its definition one variable.

use rustc_hash::FxHashMap;

use super::body::{self, FormTable};
use super::calls;
use super::data::*;
use super::decl::{self, Place};
use super::error::{Error, Reason};
use super::init;
use crate::text::ast::{self, Attr, Declarator, Item, Tuning, Word};
use crate::text::span::Span;

/// What the names at the top of a module stand for, and where they are declared.
pub(super) type Globals<'a> = FxHashMap<&'a str, (Symbol, Span)>;

/// Resolves a file.
///
/// Errors: every construct that stands for nothing or for two things, in the order of the text; never empty.
pub fn resolve(m: &ast::Module) -> Result<Module, Vec<Error>> {
    let r = Resolved::new(m);
    match r.errors.is_empty() {
        true => Ok(r.module),
        false => Err(r.errors),
    }
}

/// A file with its module, as far as it resolves. One wrong function does not keep the others from being looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved<'m> {
    /// The file.
    pub text: &'m ast::Module,
    /// What its names stand for. Without what is wrong: an instruction with an error is missing.
    pub module: Module,
    /// Everything that is wrong, in the order of the text.
    pub errors: Vec<Error>,
}

impl<'m> Resolved<'m> {
    /// Resolves a file as far as it goes.
    pub fn new(text: &'m ast::Module) -> Self {
        let (module, errors) = resolve_all(text);
        Resolved {
            text,
            module,
            errors,
        }
    }

    /// The function of the module that this one of the file is.
    ///
    /// Errors: the first error inside it.
    pub fn function(&self, f: &ast::Function) -> Result<&Function, Error> {
        let end = f.body.as_ref().map_or(f.head.end, |b| b.span.end);
        let inside = |e: &&Error| e.span.start >= f.head.start && e.span.end <= end;
        if let Some(e) = self.errors.iter().find(inside) {
            return Err(e.clone());
        }
        let same = |g: &&Function| g.span == f.head && g.name == f.name.text;
        let unknown = || Error::new(Reason::Unknown(f.name.text.clone(), None), f.name.span);
        self.module.functions.iter().find(same).ok_or_else(unknown)
    }
}

fn resolve_all(m: &ast::Module) -> (Module, Vec<Error>) {
    let mut r = Resolver::default();
    r.module.address_size = m.address_size();
    for item in &m.items {
        let outcome = match item {
            Item::Version(w) => {
                r.module.version.clone_from(&w.text);
                Ok(())
            }
            Item::Target(ws) => {
                r.module.target.extend(ws.iter().map(|w| w.text.clone()));
                Ok(())
            }
            Item::File(i, name, _) => {
                let name = name.text.trim_matches('"').to_owned();
                r.module.files.push((i.value, name));
                Ok(())
            }
            Item::Variable(d) => r.variables(d),
            Item::Function(f) => r.function(f),
            Item::AddressSize(_) | Item::Section(..) | Item::Pragma(_) | Item::Alias(_) => Ok(()),
        };
        r.errors.extend(outcome.err());
    }
    for item in &m.items {
        if let Item::Alias(names) = item {
            let outcome = r.alias(names);
            r.errors.extend(outcome.err());
        }
    }
    r.initial_values();
    r.bodies();
    if r.errors.is_empty() {
        r.errors = calls::check(&r.module);
    }
    r.errors.sort_by_key(|e| e.span);
    (r.module, r.errors)
}

#[derive(Default)]
struct Resolver<'a> {
    module: Module,
    globals: Globals<'a>,
    /// The text of each function, the definition if there is one.
    texts: Vec<&'a ast::Function>,
    /// Variables with initial values.
    initial: Vec<(VarId, decl::Head, &'a Declarator, &'a ast::Init)>,
    errors: Vec<Error>,
}

impl<'a> Resolver<'a> {
    fn variables(&mut self, d: &'a ast::Decl) -> Result<(), Error> {
        let head = decl::head(&d.attrs, d.span)?;
        for v in &d.vars {
            let Place::Memory(space) = head.place else {
                return Err(Error::new(Reason::Space(".reg".into()), d.span));
            };
            if let Some(n) = &v.range {
                return Err(Error::new(
                    Reason::Unsupported("ranges of variables"),
                    n.span,
                ));
            }
            let id = VarId(self.module.variables.len() as u32);
            match self.globals.get(v.name.text.as_str()) {
                // The definition of what was declared `.extern`, or another such declaration.
                Some((Symbol::Variable(old), _)) if self.redeclares(*old, &head, v)? => {
                    let old = *old;
                    if !head.external {
                        let new = variable(&head, space, v, None)?;
                        if let Some(var) = self.module.variables.get_mut(old.index()) {
                            *var = new;
                        }
                    }
                    self.initial
                        .extend(v.init.as_ref().map(|i| (old, head.clone(), v, i)));
                }
                Some((_, first)) => {
                    return Err(Error::new(
                        Reason::Duplicate(v.name.text.clone(), *first),
                        v.name.span,
                    ));
                }
                None => {
                    self.module.variables.push(variable(&head, space, v, None)?);
                    self.globals
                        .insert(&v.name.text, (Symbol::Variable(id), v.name.span));
                    self.initial
                        .extend(v.init.as_ref().map(|i| (id, head.clone(), v, i)));
                }
            }
        }
        Ok(())
    }

    /// Whether a declaration may follow that of a variable: one of them is `.extern`, and they agree.
    fn redeclares(&self, old: VarId, head: &decl::Head, v: &Declarator) -> Result<bool, Error> {
        let bytes = head.bytes(v)?;
        Ok(self.module.variables.get(old.index()).is_some_and(|o| {
            let agree = o.bytes == 0 || bytes.is_none_or(|b| b == o.bytes);
            (o.external || o.dynamic || head.external)
                && Place::Memory(o.space) == head.place
                && o.element == head.ty
                && agree
        }))
    }

    fn function(&mut self, f: &'a ast::Function) -> Result<(), Error> {
        let name = f.name.text.as_str();
        match self.globals.get(name) {
            None => {
                let id = FuncId(self.texts.len() as u32);
                self.texts.push(f);
                self.globals
                    .insert(name, (Symbol::Function(id), f.name.span));
                Ok(())
            }
            Some((Symbol::Function(id), first)) => {
                let (id, first) = (*id, *first);
                let Some(old) = self.texts.get(id.index()).copied() else {
                    return Ok(());
                };
                if f.body.is_some() && old.body.is_some() {
                    return Err(Error::new(
                        Reason::Duplicate(name.to_owned(), first),
                        f.name.span,
                    ));
                }
                if signature(f) != signature(old) {
                    return Err(Error::new(
                        Reason::Prototype(name.to_owned(), first),
                        f.name.span,
                    ));
                }
                if f.body.is_some() {
                    self.texts[id.index()] = f;
                }
                Ok(())
            }
            Some((_, first)) => Err(Error::new(
                Reason::Duplicate(name.to_owned(), *first),
                f.name.span,
            )),
        }
    }

    /// `.alias new, old;`: the new name, which a prototype declares, stands for the old function (ISA §11.2.3).
    fn alias(&mut self, names: &'a [Word]) -> Result<(), Error> {
        let [new, old] = names else {
            let span = names.first().map_or(Span::default(), |w| w.span);
            return Err(Error::new(Reason::Wanted("a new and an old name"), span));
        };
        let refuse = |w: &Word| Err(Error::new(Reason::Alias(w.text.clone()), w.span));
        let defined = |id: FuncId| self.texts.get(id.index()).is_some_and(|f| f.body.is_some());
        let target = match self.globals.get(old.text.as_str()) {
            Some((Symbol::Function(id), _)) if defined(*id) => *id,
            _ => return refuse(old),
        };
        match self.globals.get(new.text.as_str()) {
            None => {}
            Some((Symbol::Function(id), _)) if !defined(*id) => {}
            Some(_) => return refuse(new),
        }
        self.globals
            .insert(&new.text, (Symbol::Function(target), new.span));
        Ok(())
    }

    fn initial_values(&mut self) {
        let globals = &self.globals;
        let find = |name: &str, span: Span| {
            let unknown = || Error::new(Reason::Unknown(name.to_owned(), None), span);
            globals.get(name).map(|(s, _)| *s).ok_or_else(unknown)
        };
        for (id, head, v, init) in &self.initial {
            let Some(var) = self.module.variables.get_mut(id.index()) else {
                continue;
            };
            match init::value(head, v, init, &find) {
                Ok(value) => set_initial(var, head, v, value),
                Err(e) => self.errors.push(e),
            }
        }
    }

    fn bodies(&mut self) {
        let mut forms = FormTable::default();
        for (i, f) in self.texts.iter().enumerate() {
            let id = FuncId(i as u32);
            let function = body::function(
                f,
                id,
                &self.globals,
                &mut self.module.variables,
                &mut forms,
                &mut self.errors,
            );
            self.module.functions.push(function);
        }
    }
}

/// Gives a variable its initial value; an array without a size takes it from the value.
pub(super) fn set_initial(
    var: &mut Variable,
    head: &decl::Head,
    v: &Declarator,
    value: init::Value,
) {
    if v.dims.first().is_some_and(Option::is_none) {
        let inner = v
            .dims
            .iter()
            .flatten()
            .fold(head.element_bytes(), |a, n| a.saturating_mul(n.value));
        var.bytes = value.elements.saturating_mul(inner);
        var.dynamic = false;
    }
    var.init = value.bytes;
    var.relocations = value.relocations;
}

/// A variable without its initial value.
pub(super) fn variable(
    head: &decl::Head,
    space: Space,
    v: &Declarator,
    owner: Option<FuncId>,
) -> Result<Variable, Error> {
    let bytes = head.bytes(v)?;
    let dynamic = bytes.is_none() && space == Space::Shared && head.external;
    if bytes.is_none() && !head.external && v.init.is_none() && space != Space::Param {
        return Err(Error::new(Reason::Unsized, v.name.span));
    }
    Ok(Variable {
        name: v.name.text.clone(),
        space,
        align: head.align,
        element: head.ty.clone(),
        bytes: bytes.unwrap_or(0),
        dynamic,
        external: head.external && !dynamic,
        owner,
        init: Vec::new(),
        relocations: Vec::new(),
        span: v.name.span,
    })
}

/// What two declarations of a function must agree on: its kind, and types and sizes of results and parameters.
fn signature(f: &ast::Function) -> impl PartialEq {
    let shape = |p: &ast::Param| {
        let words: Vec<String> = p.attrs.iter().map(|a| a.word.text.clone()).collect();
        let dims: Vec<Option<u64>> = p
            .var
            .dims
            .iter()
            .map(|d| d.as_ref().map(|n| n.value))
            .collect();
        (words, dims)
    };
    let all = |ps: &Option<Vec<ast::Param>>| ps.iter().flatten().map(shape).collect::<Vec<_>>();
    (f.kind, all(&f.returns), all(&f.params))
}

/// The directives between parameters and body.
pub(super) fn directives(tuning: &[Tuning]) -> Vec<Directive> {
    let one = |a: &Attr| Directive {
        name: a.word.text.clone(),
        numbers: a.numbers.iter().map(|n| n.value).collect(),
        span: a.word.span,
    };
    let attr = |t: &Tuning| match t {
        Tuning::Attr(a) => Some(one(a)),
        Tuning::Pragma(_) => None,
    };
    tuning.iter().filter_map(attr).collect()
}

/// The three numbers of `.reqntid` and the like, which are 1 where they are left out (ISA §11.4).
pub(super) fn extent(all: &[Directive], name: &str) -> Result<Option<[u32; 3]>, Error> {
    let Some(d) = all.iter().find(|d| d.name == name) else {
        return Ok(None);
    };
    let wrong = || {
        Error::new(
            Reason::Number("one to three positive numbers of 32 bits"),
            d.span,
        )
    };
    let mut extent = [1; 3];
    if d.numbers.is_empty() || d.numbers.len() > 3 {
        return Err(wrong());
    }
    for (place, n) in extent.iter_mut().zip(&d.numbers) {
        *place = u32::try_from(*n)
            .ok()
            .filter(|n| *n > 0)
            .ok_or_else(wrong)?;
    }
    Ok(Some(extent))
}
