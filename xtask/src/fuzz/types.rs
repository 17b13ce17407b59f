//! Random inductive declarations, many right, some wrong in one place: parameters, indices, universes, elimination, positivity,
//! nesting, mutual types.

use logic::{BinderInfo, Declaration, Expr, InductiveDecl, InductiveType, Level, Name, Store};

use super::rng::Rng;

/// A type family that fields may mention.
#[derive(Clone)]
pub struct Family {
    /// Its name.
    pub name: Name,
    /// Its universe parameters.
    pub levels: usize,
    /// What its parameters are.
    pub params: Vec<Arg>,
    /// What its indices are.
    pub indices: Vec<Arg>,
}

/// What a parameter or an index is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    /// A type.
    Type,
    /// A proposition.
    Prop,
    /// A natural number.
    Nat,
    /// An element of the parameter at this position, which is a type.
    Of(usize),
}

/// Makes declarations.
pub struct Types<'r, 'b> {
    /// The store.
    pub st: &'b Store<'b>,
    /// Where chance comes from.
    pub rng: &'r mut Rng,
    /// Families that exist.
    pub families: Vec<Family>,
}

/// Variables and their types, outermost first.
type Vars = Vec<(Expr, Expr)>;

impl<'b> Types<'_, 'b> {
    fn pis(&self, vars: &Vars, body: Expr) -> Expr {
        let names: Vec<Name> = (0..vars.len())
            .map(|i| self.st.name(&format!("x{i}")))
            .collect();
        self.st.close_over(vars, body, |i, ty, b| {
            self.st.pi(names[i], ty, b, BinderInfo::Default)
        })
    }

    fn nat(&self) -> Expr {
        self.st.const0("Nat")
    }

    /// A level: small numbers, the parameter `u` if there is one, and what is made of them.
    fn level(&mut self, poly: bool) -> Level {
        let st = self.st;
        let u = st.level_param(st.name("u"));
        match self.rng.below(if poly { 12 } else { 5 }) {
            0 => Level::ZERO,
            1..=3 => st.level_nat(1),
            4 => st.level_nat(2),
            5 | 6 => u,
            7 | 8 => st.level_succ(u),
            9 => st.level_max(st.level_nat(1), u),
            10 => st.level_imax(st.level_nat(1), u),
            _ => st.level_imax(u, Level::ZERO),
        }
    }

    fn arg_type(&mut self, arg: Arg, before: &Vars, sort: Level) -> Expr {
        match arg {
            Arg::Type => self.st.sort(sort),
            Arg::Prop => self.st.prop(),
            Arg::Nat => self.nat(),
            Arg::Of(i) => before.get(i).map_or(self.nat(), |v| v.0),
        }
    }

    /// A telescope of variables.
    fn telescope(&mut self, args: &[Arg], before: &Vars, sort: Level) -> Vars {
        let mut vars = before.clone();
        for arg in args {
            let ty = self.arg_type(*arg, &vars, sort);
            vars.push((self.st.fresh_fvar(), ty));
        }
        vars.split_off(before.len())
    }

    fn args(&mut self, most: usize, types_before: usize) -> Vec<Arg> {
        let n = self.rng.below(most + 1);
        let mut out: Vec<Arg> = Vec::new();
        for i in 0..n {
            let types: Vec<usize> = (0..i).filter(|j| out[*j] == Arg::Type).collect();
            let arg = match self.rng.below(8) {
                0..=3 => Arg::Type,
                4 => Arg::Prop,
                5 if types_before == 0 && !types.is_empty() => Arg::Of(*self.rng.pick(&types)),
                _ => Arg::Nat,
            };
            out.push(arg);
        }
        out
    }

    /// A declaration with names below `root`, and the families that it adds if it is accepted.
    pub fn declaration(&mut self, root: &str) -> (Declaration, Vec<Family>) {
        let st = self.st;
        let poly = self.rng.once_in(2);
        let univ_params = if poly { vec![st.name("u")] } else { Vec::new() };
        let levels: Vec<Level> = univ_params.iter().map(|n| st.level_param(*n)).collect();
        let params = self.args(2, 0);
        let how_many = if self.rng.once_in(4) { 2 } else { 1 };
        let param_sort = match self.rng.below(4) {
            0 => self.level(poly),
            _ if poly => st.level_succ(st.level_param(st.name("u"))),
            _ => st.level_nat(1),
        };
        let result = match self.rng.below(5) {
            0 | 1 => Level::ZERO,
            2 => self.level(poly),
            _ => param_sort,
        };
        let ps = self.telescope(&params, &Vec::new(), param_sort);
        let mut own = Vec::new();
        for i in 0..how_many {
            let indices = match self.rng.below(3) {
                0 => self.args(2, 1),
                _ => Vec::new(),
            };
            own.push(Family {
                name: st.name(&format!("{root}{i}")),
                levels: levels.len(),
                params: params.clone(),
                indices,
            });
        }
        let mut types = Vec::new();
        for f in own.clone() {
            let indices = self.telescope(&f.indices, &ps, st.level_nat(1));
            let all: Vars = ps.iter().chain(&indices).copied().collect();
            // Now and then the types disagree about the sort.
            let sort = if self.rng.once_in(25) {
                self.level(poly)
            } else {
                result
            };
            let ty = self.pis(&all, st.sort(sort));
            let mut ctors = Vec::new();
            for c in 0..self.rng.below(4) {
                let name = st.name_str(f.name, &format!("c{c}"));
                ctors.push((name, self.constructor(&f, &own, &ps, &levels)));
            }
            types.push(InductiveType {
                name: f.name,
                ty,
                ctors,
            });
        }
        let num_params = match self.rng.below(30) {
            0 => params.len() as u32 + 1,
            1 => (params.len() as u32).saturating_sub(1),
            _ => params.len() as u32,
        };
        let d = InductiveDecl {
            univ_params,
            num_params,
            types,
        };
        (Declaration::Inductive(d), own)
    }

    fn constructor(&mut self, of: &Family, own: &[Family], ps: &Vars, levels: &[Level]) -> Expr {
        let mut vars = ps.clone();
        for _ in 0..self.rng.below(4) {
            let ty = self.field(own, ps, &vars, levels, 2);
            vars.push((self.st.fresh_fvar(), ty));
        }
        let result = self.applied(of, ps, &vars, levels);
        // Now and then the result is something else.
        let result = if self.rng.once_in(60) {
            self.nat()
        } else {
            result
        };
        self.pis(&vars, result)
    }

    /// A family of this declaration at its parameters and some indices.
    fn applied(&mut self, f: &Family, ps: &Vars, vars: &Vars, levels: &[Level]) -> Expr {
        let st = self.st;
        let mut args: Vec<Expr> = ps.iter().map(|p| p.0).collect();
        if self.rng.once_in(40) && !args.is_empty() {
            let i = self.rng.below(args.len());
            args[i] = self.value(f.params[i], ps, vars);
        }
        for i in &f.indices {
            args.push(self.value(*i, ps, vars));
        }
        st.apps(st.constant(f.name, levels), &args)
    }

    /// Something of a kind.
    fn value(&mut self, arg: Arg, ps: &Vars, vars: &Vars) -> Expr {
        let st = self.st;
        let nat = self.nat();
        let of_type =
            |ty: Expr| -> Vec<Expr> { vars.iter().filter(|v| v.1 == ty).map(|v| v.0).collect() };
        let known = match arg {
            Arg::Nat => of_type(nat),
            Arg::Prop => of_type(st.prop()),
            Arg::Type => of_type(st.sort(st.level_nat(1))),
            Arg::Of(i) => ps.get(i).map_or(Vec::new(), |p| of_type(p.0)),
        };
        if !known.is_empty() && !self.rng.once_in(3) {
            return *self.rng.pick(&known);
        }
        match arg {
            Arg::Type => nat,
            Arg::Prop => st.const0(if self.rng.once_in(2) { "True" } else { "False" }),
            _ => {
                let n = self.rng.below(3) as u64;
                let n = st.nat_u64(n);
                match known.first() {
                    Some(x) if arg == Arg::Nat => st.app(st.const0("Nat.succ"), *x),
                    _ => n,
                }
            }
        }
    }

    /// The type of a field.
    fn field(
        &mut self,
        own: &[Family],
        ps: &Vars,
        vars: &Vars,
        levels: &[Level],
        deep: usize,
    ) -> Expr {
        let Some(f) = own.get(self.rng.below(own.len())).cloned() else {
            return self.plain(ps, vars, levels);
        };
        match self.rng.below(16) {
            0..=2 => self.applied(&f, ps, vars, levels),
            3 if deep > 0 => {
                // A function to the type.
                let dom = self.plain(ps, vars, levels);
                let cod = self.applied(&f, ps, vars, levels);
                self.arrow(dom, cod)
            }
            4 if deep > 0 && self.rng.once_in(3) => {
                // A function from the type: not positive.
                let dom = self.applied(&f, ps, vars, levels);
                let cod = self.plain(ps, vars, levels);
                self.arrow(dom, cod)
            }
            5..=7 if deep > 0 => self.nested(own, ps, vars, levels, deep),
            _ => self.plain(ps, vars, levels),
        }
    }

    /// The type of a field without a type of the declaration.
    fn plain(&mut self, ps: &Vars, vars: &Vars, levels: &[Level]) -> Expr {
        let st = self.st;
        match self.rng.below(8) {
            0 => self.equation(vars),
            1 => st.prop(),
            2 => {
                let l = self.level(!levels.is_empty());
                st.sort(l)
            }
            3 | 4 => {
                let is_type = |p: &&(Expr, Expr)| matches!(st.node(p.1), logic::Node::Sort(_));
                let types: Vec<Expr> = ps.iter().filter(is_type).map(|p| p.0).collect();
                match types.is_empty() {
                    true => self.nat(),
                    false => *self.rng.pick(&types),
                }
            }
            _ => self.nat(),
        }
    }

    fn arrow(&self, a: Expr, b: Expr) -> Expr {
        self.st.pi(self.st.name("a"), a, b, BinderInfo::Default)
    }

    /// An equation between numbers.
    fn equation(&mut self, vars: &Vars) -> Expr {
        let st = self.st;
        let (a, b) = (
            self.value(Arg::Nat, &Vec::new(), vars),
            self.value(Arg::Nat, &Vec::new(), vars),
        );
        st.apps(
            st.constant(st.name("Eq"), &[st.level_nat(1)]),
            &[self.nat(), a, b],
        )
    }

    /// Another family applied to a type that may be of this declaration.
    fn nested(
        &mut self,
        own: &[Family],
        ps: &Vars,
        vars: &Vars,
        levels: &[Level],
        deep: usize,
    ) -> Expr {
        let st = self.st;
        let f = self.rng.pick(&self.families).clone();
        let us: Vec<Level> = (0..f.levels)
            .map(|_| match self.rng.below(4) {
                0 => self.level(!levels.is_empty()),
                1 if !levels.is_empty() => levels[0],
                _ => Level::ZERO,
            })
            .collect();
        let mut args = Vec::new();
        for p in f.params.iter().chain(&f.indices) {
            args.push(match p {
                Arg::Type if !self.rng.once_in(3) => self.field(own, ps, vars, levels, deep - 1),
                p => self.value(*p, &Vec::new(), vars),
            });
        }
        st.apps(st.constant(f.name, &us), &args)
    }
}

/// The library's families.
pub fn library(st: &Store<'_>) -> Vec<Family> {
    let family = |name: &str, levels, params: &[Arg], indices: &[Arg]| Family {
        name: st.name(name),
        levels,
        params: params.to_vec(),
        indices: indices.to_vec(),
    };
    vec![
        family("List", 1, &[Arg::Type], &[]),
        family("Option", 1, &[Arg::Type], &[]),
        family("Prod", 2, &[Arg::Type, Arg::Type], &[]),
        family("PProd", 2, &[Arg::Type, Arg::Type], &[]),
        family("Sum", 2, &[Arg::Type, Arg::Type], &[]),
        family("And", 0, &[Arg::Prop, Arg::Prop], &[]),
        family("Or", 0, &[Arg::Prop, Arg::Prop], &[]),
        family("Decidable", 0, &[Arg::Prop], &[]),
        family("Nonempty", 1, &[Arg::Type], &[]),
        family("Nat.le", 0, &[Arg::Nat], &[Arg::Nat]),
        family("PUnit", 1, &[], &[]),
    ]
}
