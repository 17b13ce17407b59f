//! The few functions of `libleanshared` that the audit calls, behind a safe face.
//!
//! Lean objects are reference counted. This process is short and never frees one: every [`Obj`] is borrowed for good,
//! and a count is added whenever a function wants to own its argument.

use std::ffi::CString;
use std::sync::atomic::{AtomicI32, Ordering};

type Raw = *mut u8;

/// A Lean object, or a small number in place of one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Obj(Raw);

unsafe extern "C" {
    fn lean_initialize();
    fn lean_initialize_thread();
    fn lean_io_mark_end_initialization();
    fn lean_init_task_manager();
    fn lean_internal_set_thread_stack_size(bytes: usize);
    fn lean_alloc_small_object_core(bytes: usize) -> Raw;
    fn lean_mk_string_from_bytes(text: *const u8, bytes: usize) -> Raw;
    fn lean_cstr_to_nat(text: *const i8) -> Raw;
    fn lean_name_mk_string(prefix: Raw, text: Raw) -> Raw;
    fn lean_name_mk_numeral(prefix: Raw, number: Raw) -> Raw;
    fn lean_level_mk_zero(unit: Raw) -> Raw;
    fn lean_level_mk_succ(l: Raw) -> Raw;
    fn lean_level_mk_max(a: Raw, b: Raw) -> Raw;
    fn lean_level_mk_imax(a: Raw, b: Raw) -> Raw;
    fn lean_level_mk_param(n: Raw) -> Raw;
    fn lean_expr_mk_bvar(i: Raw) -> Raw;
    fn lean_expr_mk_sort(l: Raw) -> Raw;
    fn lean_expr_mk_const(n: Raw, levels: Raw) -> Raw;
    fn lean_expr_mk_app(f: Raw, a: Raw) -> Raw;
    fn lean_expr_mk_lambda(n: Raw, ty: Raw, body: Raw, info: u8) -> Raw;
    fn lean_expr_mk_forall(n: Raw, ty: Raw, body: Raw, info: u8) -> Raw;
    fn lean_expr_mk_let(n: Raw, ty: Raw, value: Raw, body: Raw, nondep: u8) -> Raw;
    fn lean_expr_mk_lit(l: Raw) -> Raw;
    fn lean_expr_mk_proj(n: Raw, i: Raw, e: Raw) -> Raw;
    fn lean_mk_axiom_val(n: Raw, params: Raw, ty: Raw, is_unsafe: u8) -> Raw;
    fn lean_mk_definition_val(
        n: Raw,
        params: Raw,
        ty: Raw,
        value: Raw,
        hints: Raw,
        safety: u8,
        all: Raw,
    ) -> Raw;
    fn lean_mk_theorem_val(n: Raw, params: Raw, ty: Raw, value: Raw, all: Raw) -> Raw;
    fn lean_mk_opaque_val(n: Raw, params: Raw, ty: Raw, value: Raw, is_unsafe: u8, all: Raw)
    -> Raw;
    fn lean_mk_reducibility_hints_regular(height: u32) -> Raw;
    fn lean_mk_inductive_decl(params: Raw, num_params: Raw, types: Raw, is_unsafe: u8) -> Raw;
    #[link_name = "l_Lean_mkEmptyEnvironment"]
    fn mk_empty_environment(trust: u32, world: Raw) -> Raw;
    fn lean_elab_environment_to_kernel_env(env: Raw) -> Raw;
    fn lean_add_decl(env: Raw, heartbeats: usize, depth: usize, decl: Raw, cancel: Raw) -> Raw;
    fn lean_add_decl_without_checking(env: Raw, decl: Raw) -> Raw;
    fn lean_environment_find(env: Raw, n: Raw) -> Raw;
    #[link_name = "l_Lean_Environment_ofKernelEnv"]
    fn elab_of_kernel_env(env: Raw) -> Raw;
    fn lean_kernel_is_def_eq(env: Raw, lctx: Raw, a: Raw, b: Raw) -> Raw;
    fn lean_mk_empty_local_ctx(unit: Raw) -> Raw;
    fn lean_name_eq(a: Raw, b: Raw) -> u8;
    fn lean_expr_eqv(a: Raw, b: Raw) -> u8;
    fn _exit(code: i32) -> !;
}

/// Starts the Lean runtime, then runs `f` on a thread with a gigabyte of stack and leaves the process with its result.
/// The runtime has threads of its own, so the process ends without running destructors.
pub fn with_lean(f: impl FnOnce() -> i32 + Send + 'static) -> ! {
    const STACK: usize = 1 << 30;
    // SAFETY: called once, first, as Lean's own `main` does.
    unsafe {
        lean_internal_set_thread_stack_size(STACK);
        lean_initialize();
        lean_io_mark_end_initialization();
        lean_init_task_manager();
    }
    let worker = std::thread::Builder::new()
        .stack_size(STACK + (1 << 20))
        .spawn(move || {
            // SAFETY: the runtime is up; each thread that uses it says so once.
            unsafe { lean_initialize_thread() };
            f()
        })
        .expect("a thread can be started");
    let code = worker.join().unwrap_or(2);
    use std::io::Write;
    std::io::stdout().flush().ok();
    // SAFETY: ends the process.
    unsafe { _exit(code) }
}

impl Obj {
    /// The number `n` in place of an object: also `()`, `[]`, `none`, the anonymous name and constant constructors.
    pub const fn small(n: usize) -> Obj {
        Obj(((n << 1) | 1) as Raw)
    }

    fn is_small(self) -> bool {
        self.0 as usize & 1 == 1
    }

    /// The pointer, with one more count, for a function that owns its argument.
    fn own(self) -> Raw {
        if !self.is_small() {
            // SAFETY: every object begins with its count: positive when one thread owns it, negative when shared.
            unsafe {
                let count = self.0.cast::<i32>();
                if *count > 0 {
                    *count += 1;
                } else if *count < 0 {
                    AtomicI32::from_ptr(count).fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
        self.0
    }

    /// Which constructor this object is.
    pub fn tag(self) -> u8 {
        if self.is_small() {
            (self.0 as usize >> 1) as u8
        } else {
            // SAFETY: byte 7 of a constructor object is its tag.
            unsafe { *self.0.add(7) }
        }
    }

    /// Field `i` of a constructor object.
    pub fn field(self, i: usize) -> Obj {
        assert!(!self.is_small(), "a small number has no fields");
        // SAFETY: byte 6 of a constructor object is the number of its fields, which follow the 8-byte header.
        unsafe {
            assert!(i < usize::from(*self.0.add(6)), "field {i} exists");
            Obj(*self.0.add(8 + 8 * i).cast::<Raw>())
        }
    }

    /// Byte `i` of the data behind the fields of a constructor object.
    pub fn byte(self, i: usize) -> u8 {
        assert!(!self.is_small(), "a small number has no data");
        // SAFETY: the scalars of a constructor object follow its fields.
        unsafe { *self.0.add(8 + 8 * usize::from(*self.0.add(6)) + i) }
    }

    /// The text of a Lean string.
    pub fn text(self) -> String {
        // SAFETY: a string object is header, size with the final NUL, capacity, length, bytes.
        unsafe {
            let size = *self.0.add(8).cast::<usize>();
            let bytes = std::slice::from_raw_parts(self.0.add(32), size - 1);
            String::from_utf8_lossy(bytes).into_owned()
        }
    }

    /// The elements of a `List`.
    pub fn elements(self) -> Vec<Obj> {
        let mut out = Vec::new();
        let mut rest = self;
        while !rest.is_small() {
            out.push(rest.field(0));
            rest = rest.field(1);
        }
        out
    }
}

/// A constructor object with the given tag and fields, and no other data.
pub fn ctor(tag: u8, fields: &[Obj]) -> Obj {
    let count = u8::try_from(fields.len()).expect("few fields");
    // SAFETY: the layout is that of `lean_object`: count 1, size (set by the allocator), number of fields, tag, fields.
    unsafe {
        let o = lean_alloc_small_object_core(8 + 8 * fields.len());
        *o.cast::<i32>() = 1;
        *o.add(6) = count;
        *o.add(7) = tag;
        for (i, f) in fields.iter().enumerate() {
            *o.add(8 + 8 * i).cast::<Raw>() = f.own();
        }
        Obj(o)
    }
}

/// A `List`.
pub fn list(xs: &[Obj]) -> Obj {
    xs.iter()
        .rev()
        .fold(Obj::small(0), |tail, x| ctor(1, &[*x, tail]))
}

/// A `String`.
pub fn string(s: &str) -> Obj {
    // SAFETY: the bytes are valid UTF-8.
    Obj(unsafe { lean_mk_string_from_bytes(s.as_ptr(), s.len()) })
}

/// A `Nat` from its decimal digits.
pub fn nat(digits: &str) -> Obj {
    match digits.parse::<usize>() {
        Ok(n) if n < (1 << 62) => Obj::small(n),
        _ => {
            let text = CString::new(digits).expect("digits hold no NUL");
            // SAFETY: a C string of decimal digits.
            Obj(unsafe { lean_cstr_to_nat(text.as_ptr()) })
        }
    }
}

/// Wraps functions whose arguments are all owned by the callee.
macro_rules! owned {
    ($($(#[$doc:meta])* $name:ident = $lean:ident ( $($arg:ident : $ty:tt),* );)*) => {$(
        $(#[$doc])*
        pub fn $name($($arg: owned!(@ty $ty)),*) -> Obj {
            // SAFETY: objects of the right Lean type, one count each given away.
            Obj(unsafe { $lean($(owned!(@val $ty $arg)),*) })
        }
    )*};
    (@ty o) => { Obj };
    (@ty b) => { u8 };
    (@ty w) => { u32 };
    (@val o $x:ident) => { $x.own() };
    (@val b $x:ident) => { $x };
    (@val w $x:ident) => { $x };
}

owned! {
    /// `prefix.text`
    name_str = lean_name_mk_string(prefix: o, text: o);
    /// `prefix.number`
    name_num = lean_name_mk_numeral(prefix: o, number: o);
    /// `0`
    level_zero = lean_level_mk_zero(unit: o);
    /// `l + 1`
    level_succ = lean_level_mk_succ(l: o);
    /// `max a b`
    level_max = lean_level_mk_max(a: o, b: o);
    /// `imax a b`
    level_imax = lean_level_mk_imax(a: o, b: o);
    /// a universe parameter
    level_param = lean_level_mk_param(n: o);
    /// a bound variable
    bvar = lean_expr_mk_bvar(i: o);
    /// `Sort l`
    sort = lean_expr_mk_sort(l: o);
    /// a constant
    constant = lean_expr_mk_const(n: o, levels: o);
    /// `f a`
    app = lean_expr_mk_app(f: o, a: o);
    /// `fun (n : ty) => body`
    lam = lean_expr_mk_lambda(n: o, ty: o, body: o, info: b);
    /// `(n : ty) → body`
    pi = lean_expr_mk_forall(n: o, ty: o, body: o, info: b);
    /// `let n : ty := value; body`
    let_ = lean_expr_mk_let(n: o, ty: o, value: o, body: o, nondep: b);
    /// a literal
    lit = lean_expr_mk_lit(l: o);
    /// a projection
    proj = lean_expr_mk_proj(n: o, i: o, e: o);
    /// the data of an axiom
    axiom_val = lean_mk_axiom_val(n: o, params: o, ty: o, is_unsafe: b);
    /// the data of a definition
    definition_val =
        lean_mk_definition_val(n: o, params: o, ty: o, value: o, hints: o, safety: b, all: o);
    /// the data of a theorem
    theorem_val = lean_mk_theorem_val(n: o, params: o, ty: o, value: o, all: o);
    /// the data of an opaque constant
    opaque_val = lean_mk_opaque_val(n: o, params: o, ty: o, value: o, is_unsafe: b, all: o);
    /// `ReducibilityHints.regular height`
    hints_regular = lean_mk_reducibility_hints_regular(height: w);
    /// a declaration of inductive types
    inductive_decl = lean_mk_inductive_decl(params: o, num_params: o, types: o, is_unsafe: b);
}

/// Equality of terms up to binder names and annotations.
pub fn expr_eqv(a: Obj, b: Obj) -> bool {
    // SAFETY: both arguments are borrowed expressions.
    unsafe { lean_expr_eqv(a.0, b.0) != 0 }
}

/// Equality of names.
pub fn name_eq(a: Obj, b: Obj) -> bool {
    // SAFETY: both arguments are borrowed names.
    unsafe { lean_name_eq(a.0, b.0) != 0 }
}

/// The official kernel and its environment, which additions leave as it was for those who have a clone.
#[derive(Clone)]
pub struct Kernel(Obj);

impl Kernel {
    /// The empty environment, at trust level 0 (everything is checked).
    pub fn new() -> Kernel {
        // SAFETY: an `IO` action takes the world's token; the result is the environment or `EStateM.Result.ok` of it.
        let env = unsafe {
            let result = Obj(mk_empty_environment(0, Obj::small(0).0));
            let inner = if result.tag() == 0 && *result.0.add(6) <= 2 {
                result.field(0)
            } else {
                result
            };
            Obj(lean_elab_environment_to_kernel_env(inner.own()))
        };
        Kernel(env)
    }

    /// Type checks a `Declaration` and adds it.
    ///
    /// # Errors
    /// The constructor of `Lean.Kernel.Exception` by name, with the message of `other`.
    pub fn add(&mut self, decl: Obj) -> Result<(), String> {
        /// Heartbeats (small allocations) that one declaration may take: deterministic, half a minute or so.
        const HEARTBEATS: usize = 200_000_000;
        const DEPTH: usize = 1 << 20;
        // SAFETY: environment and declaration are owned by the callee; there is no cancel token.
        let result = Obj(unsafe {
            lean_add_decl(self.0.own(), HEARTBEATS, DEPTH, decl.own(), Obj::small(0).0)
        });
        if result.tag() == 1 {
            self.0 = result.field(0);
            return Ok(());
        }
        Err(exception(result.field(0)))
    }

    /// Adds a `Declaration` that was accepted before.
    ///
    /// # Errors
    /// As [`Kernel::add`], for what even an unchecked declaration must fulfil.
    pub fn add_unchecked(&mut self, decl: Obj) -> Result<(), String> {
        // SAFETY: environment and declaration are owned by the callee.
        let result = Obj(unsafe { lean_add_decl_without_checking(self.0.own(), decl.own()) });
        if result.tag() == 1 {
            self.0 = result.field(0);
            return Ok(());
        }
        Err(exception(result.field(0)))
    }

    /// The `ConstantInfo` of a name.
    pub fn find(&self, name: Obj) -> Option<Obj> {
        // SAFETY: both are owned by the callee.
        let found = Obj(unsafe { lean_environment_find(self.0.own(), name.own()) });
        (!found.is_small()).then(|| found.field(0))
    }

    /// Definitional equality of two closed terms. An exception counts as `false`.
    pub fn is_def_eq(&self, a: Obj, b: Obj) -> bool {
        // SAFETY: all arguments are owned by the callee; it wants the elaborator's view of the environment.
        let result = Obj(unsafe {
            let local = lean_mk_empty_local_ctx(Obj::small(0).0);
            let env = elab_of_kernel_env(self.0.own());
            lean_kernel_is_def_eq(env, local, a.own(), b.own())
        });
        !result.is_small() && result.tag() == 1 && result.field(0).tag() == 1
    }
}

/// The name of a `Lean.Kernel.Exception`.
fn exception(e: Obj) -> String {
    const NAMES: [&str; 17] = [
        "unknownConstant",
        "alreadyDeclared",
        "declTypeMismatch",
        "declHasMVars",
        "declHasFVars",
        "funExpected",
        "typeExpected",
        "letTypeMismatch",
        "exprTypeMismatch",
        "appTypeMismatch",
        "invalidProj",
        "thmTypeIsNotProp",
        "other",
        "deterministicTimeout",
        "excessiveMemory",
        "deepRecursion",
        "interrupted",
    ];
    let tag = usize::from(e.tag());
    let name = NAMES.get(tag).copied().unwrap_or("unknown exception");
    if name == "other" {
        format!("other: {}", e.field(0).text())
    } else {
        name.to_owned()
    }
}
