//! The definitions in the kernel, and their reduction.

use std::path::Path;

use logic::{
    BinderInfo, Checker, Declaration, Environment, Expr, Hint, Level, Node, Signature, Store,
};
use num_bigint::BigUint;
use ptx::alg::FloatOp;
use ptx::alg::bits::Bits;
use ptx::isa::Form;
use ptx::program::{Definition, meaning_named};
use tactics::driver::{Diagnosed, Session};

/// The library of words and the structure of float operations, with meanings declared on top.
pub struct Definitions<'b> {
    store: &'b Store<'b>,
    env: Environment<'b>,
    /// For each field of `FloatOps`, a function that is 0 everywhere.
    fields: Vec<Expr>,
}

impl<'b> Definitions<'b> {
    pub fn new(store: &'b Store<'b>) -> Self {
        let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../proofs/ptx/float.ptxp");
        let mut session = Session::new(store);
        session.check_file(&proofs).expect("the library is there");
        assert!(session.reports().iter().all(|r| !r.has_errors()));
        let mut defs = Definitions {
            store,
            env: session.environment().clone(),
            fields: Vec::new(),
        };
        defs.fields = FloatOp::all()
            .iter()
            .map(|op| defs.field(*op, &[]))
            .collect();
        defs
    }

    fn definition(&self, form: &Form) -> Definition {
        let name = match form.variant() {
            None => form.opcode.clone(),
            Some(v) => format!("{}.{v}", form.opcode),
        };
        let d = meaning_named(self.store, &name);
        d.unwrap_or_else(|| panic!("no constant for {name}"))
    }

    /// The function that the table emits for a form.
    pub fn value(&self, form: &Form) -> Expr {
        self.definition(form).value
    }

    /// Declares the constant of a form, which the kernel checks.
    pub fn declare(&mut self, form: &Form) -> Expr {
        let d = self.definition(form);
        let decl = Declaration::Definition {
            sig: Signature {
                name: d.name,
                univ_params: Vec::new(),
                ty: d.ty,
            },
            value: d.value,
            hint: Hint::Regular(1),
        };
        if let Err(e) = self.env.add(decl) {
            panic!("{}: {}", form.opcode, e.display(self.store));
        }
        self.store.constant(d.name, &[])
    }

    fn word_type(&self, width: u32) -> Expr {
        let st = self.store;
        st.app(st.const0("Word"), st.nat_u64(u64::from(width)))
    }

    fn word(&self, width: u32, value: u128) -> Expr {
        let st = self.store;
        let value = st.nat(&BigUint::from(value));
        st.apps(
            st.const0("Word.ofNat"),
            &[st.nat_u64(u64::from(width)), value],
        )
    }

    /// A float operation that answers as recorded, and 0 otherwise.
    fn field(&self, op: FloatOp, calls: &[(FloatOp, Vec<u64>, u64)]) -> Expr {
        let st = self.store;
        let (operands, n) = (op.operands(), op.operands().len());
        let cond = st.constant(st.name("cond"), &[st.level_succ(Level::ZERO)]);
        let result_type = self.word_type(op.result());
        let mut body = self.word(op.result(), 0);
        for (_, args, result) in calls {
            let mut answer = self.word(op.result(), u128::from(*result));
            for (i, (w, a)) in operands.iter().zip(args).enumerate() {
                let width = st.nat_u64(u64::from(*w));
                let x = st.bvar((n - 1 - i) as u32);
                let is = st.apps(
                    st.const0("Word.beq"),
                    &[width, x, self.word(*w, u128::from(*a))],
                );
                answer = st.apps(cond, &[result_type, is, answer, body]);
            }
            body = answer;
        }
        operands.iter().rev().fold(body, |body, w| {
            st.lam(st.name("x"), self.word_type(*w), body, BinderInfo::Default)
        })
    }
}

/// A form whose float operations answer what one batch of runs asked.
pub struct Batch<'d, 'b> {
    defs: &'d Definitions<'b>,
    function: Expr,
    out: u32,
}

impl<'d, 'b> Batch<'d, 'b> {
    pub fn new(
        defs: &'d Definitions<'b>,
        form: &Form,
        meaning: Expr,
        calls: &[(FloatOp, Vec<u64>, u64)],
    ) -> Self {
        let st = defs.store;
        let mut function = meaning;
        if form.uses_floats() {
            let field = |(op, default): (&FloatOp, &Expr)| {
                let asked: Vec<_> = calls.iter().filter(|c| c.0 == *op).cloned().collect();
                if asked.is_empty() {
                    *default
                } else {
                    defs.field(*op, &asked)
                }
            };
            let mut parts: Vec<(&str, Vec<Expr>)> = Vec::new();
            for (op, default) in FloatOp::all().iter().zip(&defs.fields) {
                let (part, _) = op.group();
                if parts.last().is_none_or(|p| p.0 != part) {
                    parts.push((part, Vec::new()));
                }
                if let Some(last) = parts.last_mut() {
                    last.1.push(field((op, default)));
                }
            }
            let made: Vec<Expr> = parts
                .iter()
                .map(|(name, fields)| st.apps(st.const0(&format!("FloatOps.{name}.mk")), fields))
                .collect();
            let floats = st.apps(st.const0("FloatOps.mk"), &made);
            function = st.app(meaning, floats);
        }
        let (_, out) = form.signature().expect("a function of words");
        Batch {
            defs,
            function,
            out,
        }
    }

    /// The value of the result, as the kernel reduces it.
    pub fn reduce(&self, args: &[Bits]) -> Result<BigUint, String> {
        let st = self.defs.store;
        let args: Vec<Expr> = args
            .iter()
            .map(|a| self.defs.word(a.width(), a.value()))
            .collect();
        let width = st.nat_u64(u64::from(self.out));
        let result = st.apps(self.function, &args);
        let value = st.apps(st.const0("Word.val"), &[width, result]);
        let mut checker = Checker::new(&self.defs.env, &[]);
        match checker.whnf(value).map(|e| st.node(e)) {
            Ok(Node::Nat(n)) => Ok(n.clone()),
            Ok(other) => Err(format!("{other:?}")),
            Err(e) => Err(e.display(st).to_string()),
        }
    }
}
