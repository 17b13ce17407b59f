//! The syntax tree back to text.
//!
//! One walk over the tree emits tokens with hints about white space. [`Module::print`] puts the comments and white
//! space of the reading between them, which must give the file back byte for byte; [`Module::canonical`] follows the
//! hints, leaves comments out and spells numbers in one way, so that two texts that differ only in such things look alike.

use super::ast::*;

/// Where the white space comes from.
#[derive(Clone, Copy)]
pub enum Layout<'m> {
    /// From the reading.
    Original(&'m super::lexer::Trivia),
    /// From the printer's hints.
    Canonical,
}

/// Collects tokens into text.
pub struct Printer<'m> {
    out: String,
    layout: Layout<'m>,
    tokens: usize,
    depth: usize,
    /// What the canonical layout puts before the next token.
    gap: Gap,
}

#[derive(Clone, Copy, PartialEq)]
enum Gap {
    None,
    Space,
    Line,
}

impl Module {
    /// The text of this module with the comments and white space that were read. If the tree was edited, so that the
    /// pieces no longer fit between the tokens, the canonical text instead.
    pub fn print(&self) -> String {
        let mut p = Printer::new(Layout::Original(&self.trivia));
        p.items(&self.items);
        if p.tokens + 1 != self.trivia.len() {
            return self.canonical();
        }
        p.piece();
        p.out
    }

    /// The text of this module without comments, with normal white space and normal spelling of numbers.
    pub fn canonical(&self) -> String {
        let mut p = Printer::new(Layout::Canonical);
        p.items(&self.items);
        p.finish()
    }
}

impl<'m> Printer<'m> {
    /// An empty text.
    pub fn new(layout: Layout<'m>) -> Self {
        Printer {
            out: String::new(),
            layout,
            tokens: 0,
            depth: 0,
            gap: Gap::None,
        }
    }

    /// The text so far, ending in a newline (canonical layout).
    pub fn finish(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn piece(&mut self) {
        if let Layout::Original(trivia) = self.layout {
            self.out
                .push_str(trivia.piece(self.tokens).unwrap_or_default());
        }
    }

    /// One token.
    fn tok(&mut self, text: &str) {
        match (self.layout, self.gap) {
            (Layout::Original(_), _) => self.piece(),
            (Layout::Canonical, Gap::Line) if !self.out.is_empty() => {
                self.out.push('\n');
                self.out.push_str(&"    ".repeat(self.depth));
            }
            (Layout::Canonical, Gap::Space) => self.out.push(' '),
            _ => {}
        }
        self.gap = Gap::None;
        self.tokens += 1;
        self.out.push_str(text);
    }

    /// A token after a space.
    fn spaced(&mut self, text: &str) {
        if self.gap == Gap::None && !self.out.is_empty() {
            self.gap = Gap::Space;
        }
        self.tok(text);
    }

    fn space(&mut self) {
        if self.gap == Gap::None {
            self.gap = Gap::Space;
        }
    }

    fn line(&mut self) {
        self.gap = Gap::Line;
    }

    fn list<T>(&mut self, all: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, x) in all.iter().enumerate() {
            if i > 0 {
                self.tok(",");
                self.space();
            }
            each(self, x);
        }
    }

    fn words(&mut self, all: &[Word]) {
        self.list(all, |p, w| p.tok(&w.text));
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.line();
            self.item(item);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Version(w) => {
                self.tok(".version");
                self.spaced(&w.text);
            }
            Item::Target(ws) => {
                self.tok(".target");
                self.space();
                self.words(ws);
            }
            Item::AddressSize(n) => {
                self.tok(".address_size");
                {
                    self.space();
                    self.int(n);
                }
            }
            Item::File(n, name, stamp) => {
                self.tok(".file");
                {
                    self.space();
                    self.int(n);
                }
                self.spaced(&name.text);
                if let Some((time, size)) = stamp {
                    for x in [time, size] {
                        self.tok(",");
                        self.space();
                        self.int(x);
                    }
                }
            }
            Item::Section(name, lines) => {
                self.tok(".section");
                self.spaced(&name.text);
                self.spaced("{");
                self.depth += 1;
                for l in lines {
                    self.line();
                    self.section_line(l);
                }
                self.close();
            }
            Item::Variable(d) => self.decl(d),
            Item::Function(f) => self.function(f),
            Item::Alias(ws) => {
                self.tok(".alias");
                self.space();
                self.words(ws);
                self.tok(";");
            }
            Item::Pragma(ws) => self.pragma(ws),
        }
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line();
        self.tok("}");
    }

    fn pragma(&mut self, ws: &[Word]) {
        self.tok(".pragma");
        self.space();
        self.words(ws);
        self.tok(";");
    }

    fn section_line(&mut self, l: &SectionLine) {
        match l {
            SectionLine::Label(w) => {
                self.tok(&w.text);
                self.tok(":");
            }
            SectionLine::Data(ty, values) => {
                self.tok(&ty.text);
                self.space();
                self.list(values, |p, v| match v {
                    SectionValue::Int(s, n) => {
                        p.sign(*s);
                        p.int(n);
                    }
                    SectionValue::Symbol(w, None) => p.tok(&w.text),
                    SectionValue::Symbol(w, Some((s, n))) => {
                        p.tok(&w.text);
                        p.tok(operator(*s));
                        p.int(n);
                    }
                });
            }
        }
    }

    fn sign(&mut self, s: Sign) {
        if s == Sign::Minus {
            self.tok("-");
        }
    }

    fn int(&mut self, n: &Int) {
        match self.layout {
            Layout::Original(_) => self.tok(&n.text),
            Layout::Canonical => self.tok(&n.canonical()),
        }
    }

    fn float(&mut self, x: &Float) {
        match self.layout {
            Layout::Original(_) => self.tok(&x.text),
            Layout::Canonical => self.tok(&x.canonical()),
        }
    }

    fn attrs(&mut self, attrs: &[Attr]) {
        for a in attrs {
            self.attr(a);
            self.space();
        }
    }

    fn attr(&mut self, a: &Attr) {
        self.tok(&a.word.text);
        if !a.numbers.is_empty() {
            self.space();
            self.list(&a.numbers, |p, n| p.int(n));
        }
        if let Some(args) = &a.arguments {
            self.tok("(");
            self.list(args, |p, x| match x {
                AttrArgument::Attr(a) => p.attr(a),
                AttrArgument::Int(n) => p.int(n),
            });
            self.tok(")");
        }
    }

    fn decl(&mut self, d: &Decl) {
        self.attrs(&d.attrs);
        self.list(&d.vars, |p, v| p.declarator(v));
        self.tok(";");
    }

    fn declarator(&mut self, v: &Declarator) {
        self.tok(&v.name.text);
        if let Some(n) = &v.range {
            self.tok("<");
            self.int(n);
            self.tok(">");
        }
        for d in &v.dims {
            self.tok("[");
            if let Some(n) = d {
                self.int(n);
            }
            self.tok("]");
        }
        if let Some(init) = &v.init {
            self.spaced("=");
            self.space();
            self.init(init);
        }
    }

    fn init(&mut self, init: &Init) {
        match init {
            Init::Value(x) => self.operand(x),
            Init::Apply(head, argument, offset) => {
                self.operand(head);
                self.tok("(");
                self.operand(argument);
                self.tok(")");
                if let Some(o) = offset {
                    self.offset(o);
                }
            }
            Init::List(all) => {
                self.tok("{");
                self.list(all, |p, x| p.init(x));
                self.tok("}");
            }
        }
    }

    fn params(&mut self, params: &Option<Vec<Param>>) {
        if let Some(params) = params {
            self.tok("(");
            self.list(params, |p, x| {
                p.attrs(&x.attrs);
                p.declarator(&x.var);
            });
            self.tok(")");
        }
    }

    fn function(&mut self, f: &Function) {
        self.attrs(&f.attrs);
        self.tok(match f.kind {
            FunctionKind::Entry => ".entry",
            FunctionKind::Func => ".func",
        });
        self.space();
        self.params(&f.returns);
        self.spaced(&f.name.text);
        self.params(&f.params);
        for t in &f.tuning {
            self.line();
            match t {
                Tuning::Attr(a) => self.attr(a),
                Tuning::Pragma(ws) => self.pragma(ws),
            }
        }
        match &f.body {
            None => self.tok(";"),
            Some(b) => {
                self.line();
                self.block(b);
            }
        }
    }

    fn block(&mut self, b: &Block) {
        self.tok("{");
        self.depth += 1;
        for s in &b.statements {
            self.line();
            self.statement(s);
        }
        self.close();
    }

    fn statement(&mut self, s: &Statement) {
        match s {
            Statement::Decl(d) => self.decl(d),
            Statement::Block(b) => self.block(b),
            Statement::Label(w) => {
                self.tok(&w.text);
                self.tok(":");
            }
            Statement::Instr(i) => self.instr(i),
            Statement::Loc(l) => self.loc(l),
            Statement::Pragma(ws) => self.pragma(ws),
            Statement::Targets(keyword, ws) => {
                self.tok(&keyword.text);
                self.space();
                self.words(ws);
                self.tok(";");
            }
            Statement::Prototype(x) => {
                self.tok(".callprototype");
                self.space();
                self.params(&x.returns);
                self.spaced(&x.name.text);
                self.space();
                self.params(&x.params);
                for a in &x.attrs {
                    self.space();
                    self.attr(a);
                }
                self.tok(";");
            }
        }
    }

    fn loc(&mut self, l: &Loc) {
        self.tok(".loc");
        for n in &l.at {
            {
                self.space();
                self.int(n);
            }
        }
        if let Some((name, offset, place)) = &l.inlined {
            self.tok(",");
            self.spaced("function_name");
            self.spaced(&name.text);
            if let Some(n) = offset {
                self.tok("+");
                self.int(n);
            }
            self.tok(",");
            self.spaced("inlined_at");
            for n in place {
                {
                    self.space();
                    self.int(n);
                }
            }
        }
    }

    /// An instruction with its guard and semicolon.
    pub fn instr(&mut self, i: &Instr) {
        if let Some(g) = &i.guard {
            self.tok("@");
            if g.negated {
                self.tok("!");
            }
            self.tok(&g.pred.text);
            self.space();
        }
        self.tok(&i.opcode.text);
        if !i.operands.is_empty() {
            self.space();
            self.list(&i.operands, |p, x| p.operand(x));
        }
        self.tok(";");
    }

    fn offset(&mut self, o: &Offset) {
        self.tok(operator(o.operator));
        self.sign(o.sign);
        self.int(&o.int);
    }

    /// An operand.
    pub fn operand(&mut self, x: &Operand) {
        match x {
            Operand::Name(w) => self.tok(&w.text),
            Operand::Sink(_) => self.tok("_"),
            Operand::Int(s, n) => {
                self.sign(*s);
                self.int(n);
            }
            Operand::Float(s, x) => {
                self.sign(*s);
                self.float(x);
            }
            Operand::Offset(base, o) => {
                self.operand(base);
                self.offset(o);
            }
            Operand::Address(all, _) => self.bracketed("[", all, "]"),
            Operand::Vector(all, _) => self.bracketed("{", all, "}"),
            Operand::List(all, _) => self.bracketed("(", all, ")"),
            Operand::Pair(a, b) => {
                self.operand(a);
                self.tok("|");
                self.operand(b);
            }
            Operand::Not(p, _) => {
                self.tok("!");
                self.operand(p);
            }
        }
    }

    fn bracketed(&mut self, open: &str, all: &[Operand], close: &str) {
        self.tok(open);
        self.list(all, |p, x| p.operand(x));
        self.tok(close);
    }
}

fn operator(s: Sign) -> &'static str {
    match s {
        Sign::Plus => "+",
        Sign::Minus => "-",
    }
}
