//! The bytes of parameters: checked when a file is read, with addresses put in when buffers have them.

use std::ops::Range;

use ptx::layout::tensormap;
use ptx::module::{Formal, Function, Module, Variable};
use toml::Spanned;

use crate::dtype::{DType, Value};
use crate::error::LaunchError;
use crate::file::{Arg, ArgTable, Args, Number};

/// The bytes of a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Packed {
    /// The bytes, zero where something is put in later.
    pub bytes: Vec<u8>,
    /// What is put in later, and where.
    pub later: Vec<(usize, Later)>,
}

/// Bytes that are known only at the launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Later {
    /// The address of a buffer and an offset: 8 bytes.
    Buffer(usize, i64),
    /// The address of a variable of the module and an offset: 8 bytes.
    Symbol(String, i64),
    /// A tensor map: 128 bytes.
    Map(usize),
}

/// What arguments can name.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Buffers, in order.
    pub buffers: &'a [String],
    /// Tensor maps, in order.
    pub maps: &'a [String],
    /// The module.
    pub module: &'a Module,
}

/// The parameters of a function.
pub fn parameters<'m>(module: &'m Module, function: &Function) -> Vec<&'m Variable> {
    let variable = |f: &Formal| match f {
        Formal::Param(v) => module.variables.get(v.index()),
        Formal::Reg(_) => None,
    };
    function.params.iter().filter_map(variable).collect()
}

/// A parameter as a user reads it: `n : u32`, `m : 128 bytes, aligned to 64`.
pub fn shown(v: &Variable) -> String {
    match is_array(v) {
        true => format!("{} : {} bytes, aligned to {}", v.name, v.bytes, v.align),
        false => format!("{} : {}", v.name, v.element),
    }
}

/// Whether a parameter has no type but bytes.
fn is_array(v: &Variable) -> bool {
    DType::of_name(&v.element).is_none_or(|d| d.bytes() as u64 != v.bytes)
}

/// Lists the parameters of an entry, for the help of a message.
pub fn list(module: &Module, function: &Function) -> String {
    let all = parameters(module, function);
    if all.is_empty() {
        return format!("`{}` has no parameters", function.name);
    }
    let mut text = format!("the parameters of `{}` are", function.name);
    for (i, v) in all.iter().enumerate() {
        text.push_str(&format!("\n  {i}: {}", shown(v)));
    }
    text
}

/// The arguments of a launch as bytes.
///
/// Errors: too few or too many, a name that is not there, a value that does not fit.
pub fn pack(
    args: &Args,
    function: &Function,
    names: Names<'_>,
    launch: Range<usize>,
) -> Result<Vec<Packed>, LaunchError> {
    let params = parameters(names.module, function);
    let known = |e: LaunchError| e.help(list(names.module, function));
    let mut given: Vec<Option<&Spanned<Arg>>> = vec![None; params.len()];
    match args {
        Args::List(list) => {
            if let Some(extra) = list.get(params.len()) {
                return Err(known(
                    LaunchError::new(format!(
                        "{} arguments, and `{}` has {} parameters",
                        list.len(),
                        function.name,
                        params.len()
                    ))
                    .at(extra.span()),
                ));
            }
            for (slot, arg) in given.iter_mut().zip(list) {
                *slot = Some(arg);
            }
        }
        Args::Named(table) => {
            for (name, arg) in table {
                let at = params.iter().position(|v| v.name == *name.get_ref());
                let at = at.ok_or_else(|| {
                    known(
                        LaunchError::new(format!(
                            "`{}` has no parameter `{}`",
                            function.name,
                            name.get_ref()
                        ))
                        .at(name.span())
                        .unknown(name.get_ref(), params.iter().map(|v| v.name.clone())),
                    )
                })?;
                given[at] = Some(arg);
            }
        }
    }
    let mut out = Vec::new();
    for (v, arg) in params.iter().zip(given) {
        let arg = arg.ok_or_else(|| {
            known(
                LaunchError::new(format!("the parameter `{}` has no argument", v.name))
                    .at(launch.clone()),
            )
        })?;
        let place = Place {
            what: &format!("the parameter `{}`", v.name),
            size: v.bytes as usize,
            dtype: DType::of_name(&v.element).filter(|_| !is_array(v)),
        };
        let one = one(arg.get_ref(), &place, names);
        out.push(one.map_err(|e| known(e.at(arg.span())))?);
    }
    Ok(out)
}

/// Where an argument goes.
struct Place<'a> {
    what: &'a str,
    size: usize,
    dtype: Option<DType>,
}

/// The bytes of an argument.
fn one(arg: &Arg, place: &Place<'_>, names: Names<'_>) -> Result<Packed, LaunchError> {
    match arg {
        Arg::Number(n) => number(*n, place),
        Arg::Name(name) => {
            let (base, offset) = address(name)?;
            match names.maps.iter().position(|m| *m == base) {
                Some(i) if offset == 0 => map(i, &base, place),
                _ => {
                    let i = buffer(&base, names)?;
                    pointer(Later::Buffer(i, offset), place)
                }
            }
        }
        Arg::Table(t) => table(t, place, names),
    }
}

/// A name and an offset: `a`, `a + 64`, `a - 4`.
///
/// Errors: what comes after the name is no offset.
pub fn address(text: &str) -> Result<(String, i64), LaunchError> {
    let text = text.trim();
    let Some(at) = text.find(['+', '-']) else {
        return Ok((text.to_owned(), 0));
    };
    let (name, rest) = text.split_at(at);
    let digits = rest[1..].trim();
    let bytes = match digits.parse::<i64>() {
        Ok(n) if digits.starts_with(|c: char| c.is_ascii_digit()) => n,
        _ => {
            return Err(LaunchError::new(format!(
                "`{text}` is no address: a name, and perhaps `+` and a number of bytes"
            )));
        }
    };
    let offset = if rest.starts_with('-') { -bytes } else { bytes };
    Ok((name.trim().to_owned(), offset))
}

fn buffer(name: &str, names: Names<'_>) -> Result<usize, LaunchError> {
    let at = names.buffers.iter().position(|b| b == name);
    at.ok_or_else(|| unknown(name, names))
}

fn unknown(name: &str, names: Names<'_>) -> LaunchError {
    let all = names.buffers.iter().chain(names.maps);
    LaunchError::new(format!("there is no buffer or map `{name}`")).unknown(name, all.cloned())
}

fn pointer(later: Later, place: &Place<'_>) -> Result<Packed, LaunchError> {
    let fits = place.size == 8 && place.dtype.is_none_or(|d| !d.is_float());
    match fits {
        true => Ok(Packed {
            bytes: vec![0; 8],
            later: vec![(0, later)],
        }),
        false => Err(LaunchError::new(format!(
            "an address has 8 bytes, and {} is {}",
            place.what,
            described(place)
        ))),
    }
}

fn described(place: &Place<'_>) -> String {
    match place.dtype {
        Some(d) => format!("a {d}"),
        None => format!("of {} bytes", place.size),
    }
}

fn map(index: usize, name: &str, place: &Place<'_>) -> Result<Packed, LaunchError> {
    match place.size {
        tensormap::BYTES => Ok(Packed {
            bytes: vec![0; tensormap::BYTES],
            later: vec![(0, Later::Map(index))],
        }),
        _ => Err(LaunchError::new(format!(
            "`{name}` is a tensor map of {} bytes, and {} is {}",
            tensormap::BYTES,
            place.what,
            described(place)
        ))),
    }
}

fn number(n: Number, place: &Place<'_>) -> Result<Packed, LaunchError> {
    let Some(dtype) = place.dtype else {
        return Err(LaunchError::new(format!(
            "a number needs a type, and {} is {}",
            place.what,
            described(place)
        ))
        .help("say `{ bytes = \"…\" }`, `{ members = […] }` or the name of a tensor map"));
    };
    let value = Value::from(n);
    // Bits without a type: a real number is a float of that size.
    let dtype = match (dtype, value) {
        (DType::B16, Value::Real(_)) => DType::F16,
        (DType::B32, Value::Real(_)) => DType::F32,
        (DType::B64, Value::Real(_)) => DType::F64,
        (d, _) => d,
    };
    if !dtype.is_float() {
        let Value::Int(n) = value else {
            return Err(LaunchError::new(format!(
                "{} is a {dtype}, and {value} is no integer",
                place.what
            )));
        };
        // Kernels take signed integers as unsigned parameters.
        let bits = 8 * dtype.bytes() as u32;
        let (low, high) = (-(1i128 << (bits - 1)), (1i128 << bits) - 1);
        if n < low || n > high {
            return Err(LaunchError::new(format!(
                "{n} does not fit into {}, a {dtype}",
                place.what
            )));
        }
    }
    let word = dtype.encode(value).to_le_bytes();
    Ok(Packed {
        bytes: word[..dtype.bytes()].to_vec(),
        later: Vec::new(),
    })
}

fn table(t: &ArgTable, place: &Place<'_>, names: Names<'_>) -> Result<Packed, LaunchError> {
    let kinds = [
        t.buffer.is_some(),
        t.symbol.is_some(),
        t.bytes.is_some(),
        t.map.is_some(),
        t.value.is_some(),
        t.members.is_some(),
    ];
    if kinds.into_iter().filter(|k| *k).count() != 1 {
        return Err(LaunchError::new(
            "an argument has exactly one of `buffer`, `symbol`, `map`, `value`, `bytes`, `members`",
        ));
    }
    let offset = t.offset.unwrap_or(0);
    if let Some(name) = &t.buffer {
        return pointer(Later::Buffer(buffer(name, names)?, offset), place);
    }
    if let Some(name) = &t.symbol {
        let variables = || names.module.variables.iter().filter(|v| v.owner.is_none());
        let functions = names.module.functions.iter().map(|f| &f.name);
        if !variables()
            .map(|v| &v.name)
            .chain(functions)
            .any(|n| n == name)
        {
            let known = variables().map(|v| v.name.clone());
            let e = LaunchError::new(format!("the module has no variable `{name}`"));
            return Err(e.unknown(name, known));
        }
        return pointer(Later::Symbol(name.clone(), offset), place);
    }
    if let Some(name) = &t.map {
        let at = names.maps.iter().position(|m| m == name);
        return map(at.ok_or_else(|| unknown(name, names))?, name, place);
    }
    if let Some(n) = t.value {
        return number(
            n,
            &Place {
                dtype: t.dtype.or(place.dtype),
                ..*place
            },
        )
        .and_then(|p| fitting(p, place));
    }
    if let Some(hex) = &t.bytes {
        return fitting(
            Packed {
                bytes: bytes(hex)?,
                later: Vec::new(),
            },
            place,
        );
    }
    let mut packed = Packed {
        bytes: vec![0; place.size],
        later: Vec::new(),
    };
    for m in t.members.iter().flatten() {
        let at = usize::try_from(m.at).unwrap_or(usize::MAX);
        let rest = place.size.saturating_sub(at);
        let size = match (&m.arg, m.dtype) {
            (_, Some(d)) => d.bytes(),
            (Arg::Name(n), None) if names.maps.contains(n) => tensormap::BYTES,
            (Arg::Table(t), None) if t.map.is_some() => tensormap::BYTES,
            (Arg::Table(t), None) if t.bytes.is_some() => {
                t.bytes.as_deref().map_or(0, |b| b.len() / 2)
            }
            _ => 8,
        };
        let what = format!("the member at {} of {}", m.at, place.what);
        if size > rest || at > place.size {
            return Err(LaunchError::new(format!(
                "{what} has {size} bytes, and {rest} are left"
            )));
        }
        let inner = Place {
            what: &what,
            size,
            dtype: m.dtype,
        };
        let one = one(&m.arg, &inner, names)?;
        packed.bytes[at..at + one.bytes.len()].copy_from_slice(&one.bytes);
        packed
            .later
            .extend(one.later.into_iter().map(|(i, l)| (at + i, l)));
    }
    Ok(packed)
}

fn fitting(p: Packed, place: &Place<'_>) -> Result<Packed, LaunchError> {
    match p.bytes.len() == place.size {
        true => Ok(p),
        false => Err(LaunchError::new(format!(
            "{} bytes, and {} is {}",
            p.bytes.len(),
            place.what,
            described(place)
        ))),
    }
}

/// Hexadecimal digits as bytes; blanks may stand between bytes.
fn bytes(hex: &str) -> Result<Vec<u8>, LaunchError> {
    let digits: Option<Vec<u8>> = hex
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).map(|d| d as u8))
        .collect();
    match digits {
        Some(d) if d.len() % 2 == 0 => Ok(d.chunks(2).map(|p| p[0] << 4 | p[1]).collect()),
        _ => Err(LaunchError::new(format!(
            "`{hex}` is no sequence of bytes in hexadecimal digits"
        ))),
    }
}
