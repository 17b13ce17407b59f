//! A function: its parameters, then its statements, scope by scope.

use rustc_hash::FxHashMap;

use super::data::*;
use super::decl::{self, Place};
use super::error::{Error, Reason};
use super::form;
use super::init;
use super::resolve::{Globals, directives, extent, set_initial, variable};
use super::scope::{Local, Scopes};
use crate::isa::{self, Form};
use crate::text::ast::{self, Block, FunctionKind, Statement};

/// After so many errors no hint is looked for among the names of the module.
const MAX_HINTS: usize = 50;

/// The forms of each opcode that occurs.
pub(super) type FormTable = FxHashMap<String, Vec<Form>>;

/// What is needed to resolve a body.
pub(super) struct Body<'a, 'r> {
    pub function: Function,
    pub id: FuncId,
    pub globals: &'r Globals<'a>,
    pub scopes: Scopes<'a>,
    variables: &'r mut Vec<Variable>,
    forms: &'r mut FormTable,
    errors: &'r mut Vec<Error>,
    /// The registers that have a place in the function's list.
    interned: FxHashMap<(usize, u64), RegId>,
    loc: Option<(u64, u64, u64)>,
}

/// Resolves a function. What is wrong with it goes to `errors`.
pub(super) fn function<'a>(
    f: &'a ast::Function,
    id: FuncId,
    globals: &Globals<'a>,
    variables: &mut Vec<Variable>,
    forms: &mut FormTable,
    errors: &mut Vec<Error>,
) -> Function {
    let directives = directives(&f.tuning);
    let mut limit = |name| {
        extent(&directives, name).unwrap_or_else(|e| {
            errors.push(e);
            None
        })
    };
    let (required_block, max_block, required_cluster) = (
        limit(".reqntid"),
        limit(".maxntid"),
        limit(".reqnctapercluster"),
    );
    let mut body = Body {
        function: Function {
            name: f.name.text.clone(),
            is_entry: f.kind == FunctionKind::Entry,
            has_body: f.body.is_some(),
            returns: Vec::new(),
            params: Vec::new(),
            required_block,
            max_block,
            required_cluster,
            directives,
            declarations: Vec::new(),
            registers: Vec::new(),
            labels: Vec::new(),
            tables: Vec::new(),
            code: Vec::new(),
            span: f.head,
        },
        id,
        globals,
        scopes: Scopes::default(),
        variables,
        forms,
        errors,
        interned: FxHashMap::default(),
        loc: None,
    };
    body.scopes.enter();
    body.function.returns = body.formals(f.returns.iter().flatten());
    body.function.params = body.formals(f.params.iter().flatten());
    if let Some(b) = &f.body {
        body.statements(b);
    }
    body.function
}

impl<'a> Body<'a, '_> {
    /// Names that could be meant by an unknown one; none any more after many errors, so that a damaged file costs little.
    pub fn others(&self) -> Vec<&'a str> {
        match self.errors.len() < MAX_HINTS {
            true => self.globals.keys().copied().collect(),
            false => Vec::new(),
        }
    }

    fn note(&mut self, outcome: Result<(), Error>) {
        self.errors.extend(outcome.err());
    }

    fn formals(&mut self, params: impl Iterator<Item = &'a ast::Param>) -> Vec<Formal> {
        let mut formals = Vec::new();
        for p in params {
            match self.formal(p) {
                Ok(f) => formals.push(f),
                Err(e) => self.errors.push(e),
            }
        }
        formals
    }

    fn formal(&mut self, p: &'a ast::Param) -> Result<Formal, Error> {
        let head = decl::head(&p.attrs, p.var.name.span)?;
        let anonymous = p.var.name.text == "_";
        match head.place {
            Place::Reg => {
                let declaration = self.register(&head, &p.var, 0, anonymous)?;
                Ok(Formal::Reg(self.intern(declaration, 0)))
            }
            Place::Memory(Space::Param) => {
                let id = self.variable(&head, Space::Param, &p.var, anonymous)?;
                Ok(Formal::Param(id))
            }
            Place::Memory(_) => {
                let word = p.attrs.first().map_or("", |a| a.word.text.as_str());
                Err(Error::new(Reason::Space(word.to_owned()), p.var.name.span))
            }
        }
    }

    /// Declares a register or a range of registers; its declaration.
    fn register(
        &mut self,
        head: &decl::Head,
        v: &'a ast::Declarator,
        depth: u32,
        anonymous: bool,
    ) -> Result<usize, Error> {
        let span = v.name.span;
        if head.vector > 1 {
            return Err(Error::new(
                Reason::Unsupported("vectors as registers"),
                span,
            ));
        }
        if !v.dims.is_empty() || v.init.is_some() {
            return Err(Error::new(
                Reason::Unsupported("arrays and initial values of registers"),
                span,
            ));
        }
        let declaration = self.function.declarations.len();
        let count = v.range.as_ref().map(|n| n.value);
        if !anonymous {
            match count {
                None => self
                    .scopes
                    .declare(&v.name.text, Local::Register(declaration, 0), span)?,
                Some(_) => self.scopes.declare_range(&v.name.text, declaration, span)?,
            }
        }
        self.function.declarations.push(RegisterDecl {
            name: v.name.text.clone(),
            ty: head.ty.clone(),
            bits: head.bits,
            count,
            depth,
            span,
        });
        Ok(declaration)
    }

    /// Declares a variable of the function.
    fn variable(
        &mut self,
        head: &decl::Head,
        space: Space,
        v: &'a ast::Declarator,
        anonymous: bool,
    ) -> Result<VarId, Error> {
        if let Some(n) = &v.range {
            return Err(Error::new(
                Reason::Unsupported("ranges of variables"),
                n.span,
            ));
        }
        let id = VarId(self.variables.len() as u32);
        let mut new = variable(head, space, v, Some(self.id))?;
        if let Some(i) = &v.init {
            let find = |name: &str, span| match self.globals.get(name) {
                Some((symbol, _)) => Ok(*symbol),
                None => Err(Error::new(Reason::Unknown(name.to_owned(), None), span)),
            };
            let value = init::value(head, v, i, &find)?;
            set_initial(&mut new, head, v, value);
        }
        if !anonymous {
            self.scopes
                .declare(&v.name.text, Local::Variable(id), v.name.span)?;
        }
        self.variables.push(new);
        Ok(id)
    }

    /// The place of a register in the function's list.
    pub fn intern(&mut self, declaration: usize, index: u64) -> RegId {
        let next = RegId(self.function.registers.len() as u32);
        let id = *self.interned.entry((declaration, index)).or_insert(next);
        if id == next
            && let Some(d) = self.function.declarations.get(declaration)
        {
            let name = match d.count {
                Some(_) => format!("{}{index}", d.name),
                None => d.name.clone(),
            };
            self.function.registers.push(Register {
                name,
                ty: d.ty.clone(),
                bits: d.bits,
                declaration,
                index,
            });
        }
        id
    }

    /// The statements of the scope that has just been opened.
    fn statements(&mut self, b: &'a Block) {
        self.labels(b);
        for s in &b.statements {
            let outcome = match s {
                Statement::Decl(d) => self.declaration(d),
                Statement::Block(inner) => {
                    self.scopes.enter();
                    self.statements(inner);
                    self.scopes.leave();
                    Ok(())
                }
                Statement::Label(w) => {
                    if let Some(Local::Label(l)) = self.scopes.here(&w.text)
                        && let Some(label) = self.function.labels.get_mut(l.index())
                        && label.at == usize::MAX
                    {
                        label.at = self.function.code.len();
                    }
                    Ok(())
                }
                Statement::Instr(i) => self.instruction(i),
                Statement::Loc(l) => {
                    let [file, line, column] = &l.at;
                    self.loc = Some((file.value, line.value, column.value));
                    Ok(())
                }
                // A label before these two names them.
                Statement::Pragma(_) | Statement::Targets(..) | Statement::Prototype(_) => Ok(()),
            };
            self.note(outcome);
        }
        for pair in b.statements.windows(2) {
            if let [Statement::Label(w), s] = pair
                && let Some(Local::Table(t)) = self.scopes.here(&w.text)
            {
                let outcome = self.table(s, t);
                self.note(outcome);
            }
        }
    }

    /// Declares the labels of a scope, which may be used before they stand.
    fn labels(&mut self, b: &'a Block) {
        for (i, s) in b.statements.iter().enumerate() {
            let Statement::Label(w) = s else { continue };
            let table = matches!(
                b.statements.get(i + 1),
                Some(Statement::Targets(..) | Statement::Prototype(_))
            );
            let meaning = if table {
                Local::Table(TableId(self.function.tables.len() as u32))
            } else {
                Local::Label(LabelId(self.function.labels.len() as u32))
            };
            match self.scopes.declare(&w.text, meaning, w.span) {
                Err(e) => self.errors.push(e),
                Ok(()) if table => self.function.tables.push(Table::Branches(Vec::new())),
                Ok(()) => self.function.labels.push(Label {
                    name: w.text.clone(),
                    at: usize::MAX,
                }),
            }
        }
    }

    fn table(&mut self, s: &'a Statement, id: TableId) -> Result<(), Error> {
        let table = match s {
            Statement::Targets(keyword, names) if keyword.text == ".branchtargets" => {
                Table::Branches(
                    names
                        .iter()
                        .map(|w| self.label(w))
                        .collect::<Result<_, _>>()?,
                )
            }
            Statement::Targets(_, names) => Table::Calls(
                names
                    .iter()
                    .map(|w| self.callee(w))
                    .collect::<Result<_, _>>()?,
            ),
            Statement::Prototype(p) => {
                let sizes = |ps: &[ast::Param]| ps.iter().map(size).collect::<Result<_, Error>>();
                Table::Prototype {
                    returns: sizes(p.returns.as_deref().unwrap_or_default())?,
                    params: sizes(p.params.as_deref().unwrap_or_default())?,
                }
            }
            _ => return Ok(()),
        };
        if let Some(place) = self.function.tables.get_mut(id.index()) {
            *place = table;
        }
        Ok(())
    }

    fn declaration(&mut self, d: &'a ast::Decl) -> Result<(), Error> {
        let head = decl::head(&d.attrs, d.span)?;
        for v in &d.vars {
            match head.place {
                Place::Reg => {
                    let depth = self.scopes.depth().saturating_sub(1);
                    self.register(&head, v, depth, false)?;
                }
                Place::Memory(space) => {
                    self.variable(&head, space, v, false)?;
                }
            }
        }
        Ok(())
    }

    fn instruction(&mut self, i: &'a ast::Instr) -> Result<(), Error> {
        let guard = match &i.guard {
            None => None,
            Some(g) => Some(Guard {
                pred: self.predicate(&g.pred)?,
                negated: g.negated,
            }),
        };
        let operands = i
            .operands
            .iter()
            .map(|x| self.operand(x))
            .collect::<Result<Vec<_>, _>>()?;
        let opcode = &i.opcode.text;
        if !self.forms.contains_key(opcode) {
            self.forms.insert(opcode.clone(), isa::forms_of(opcode));
        }
        let forms = self.forms.get(opcode).map_or(&[][..], Vec::as_slice);
        let form = form::choose(forms, &operands, i)?.cloned();
        if let Some(form) = &form {
            form::check_types(&self.function, form, &operands, i)?;
        }
        self.function.code.push(Instr {
            guard,
            opcode: opcode.clone(),
            form,
            operands,
            span: i.span,
            loc: self.loc,
        });
        Ok(())
    }
}

/// The size in bytes of a parameter in a prototype.
fn size(p: &ast::Param) -> Result<u64, Error> {
    let head = decl::head(&p.attrs, p.var.name.span)?;
    Ok(head.bytes(&p.var)?.unwrap_or(0))
}
