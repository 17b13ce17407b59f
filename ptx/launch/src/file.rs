//! The launch file, as it is read: TOML with spans, nothing looked up yet.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, de};
use toml::Spanned;

use crate::dtype::DType;
use crate::error::LaunchError;

/// A launch file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The PTX file, relative to this file, if the command line names none.
    pub ptx: Option<Spanned<String>>,
    /// Files of which all of this must hold as well, relative to this file.
    #[serde(default)]
    pub variants: Vec<Spanned<String>>,
    /// How many instructions each launch may do.
    pub limit: Option<u64>,
    /// The buffers by name.
    #[serde(default)]
    pub buffers: BTreeMap<Spanned<String>, Buffer>,
    /// Tensor maps by name.
    #[serde(default)]
    pub maps: BTreeMap<Spanned<String>, Map>,
    /// The launches, in order.
    #[serde(default, rename = "launch")]
    pub launches: Vec<Spanned<Launch>>,
}

/// A buffer in global memory, or a variable of the module.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    /// The type of its elements.
    pub dtype: DType,
    /// Its shape, the outermost dimension first.
    pub shape: Spanned<Vec<u64>>,
    /// What it holds at first; without it, bytes that depend on the seed of the run.
    pub fill: Option<Spanned<Fill>>,
    /// The variable of the module that it is; without it, it is allocated.
    pub symbol: Option<Spanned<String>>,
    /// What it holds in the end; without it, what it held at first.
    #[serde(default)]
    pub expect: Expect,
}

/// What a buffer holds at first.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Fill {
    /// Zero.
    Zeros,
    /// One value.
    Value(Number),
    /// `start + step * index`: from zero by one, unless it says otherwise.
    Arange(Arange),
    /// Real numbers from `low` to `high`, evenly.
    Uniform(Between),
    /// Integers from `low` to `high`, `high` left out, evenly.
    Integers(Integers),
    /// Real numbers around `mean`: the sum of twelve even ones.
    Normal(Normal),
    /// The elements one by one, row by row.
    List(Vec<Number>),
    /// The elements of a `.npy` file, relative to this file.
    Npy(String),
    /// An expression over the indices, and over buffers that are filled in another way.
    Expression(String),
    /// Addresses of buffers: `"a"`, `"a + 64"` (in bytes).
    Addresses(Vec<Spanned<String>>),
}

/// `{ start = 0, step = 1 }`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names say it
pub struct Arange {
    #[serde(default)]
    pub start: Number,
    #[serde(default = "one")]
    pub step: Number,
}

fn one() -> Number {
    Number::Int(1)
}

/// `{ seed = 1, low = -1, high = 1 }`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names say it
pub struct Between {
    pub seed: u64,
    pub low: Number,
    pub high: Number,
}

/// `{ seed = 1, low = -4, high = 5 }`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names say it
pub struct Integers {
    pub seed: u64,
    pub low: i64,
    pub high: i64,
}

/// `{ seed = 1, mean = 0, deviation = 1 }`
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the names say it
pub struct Normal {
    pub seed: u64,
    #[serde(default)]
    pub mean: Number,
    #[serde(default = "one")]
    pub deviation: Number,
}

/// What a buffer holds in the end.
#[derive(Clone, Debug, Default)]
pub enum Expect {
    /// What it held at first.
    #[default]
    Unchanged,
    /// Anything.
    Any,
    /// Values; elements that no part has are unchanged.
    Values(Vec<Spanned<Wanted>>),
}

/// Values of a part of a buffer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// Which part: `[from, to]` for each dimension, `to` left out; all of it unless it says otherwise.
    pub part: Option<Spanned<Vec<[u64; 2]>>>,
    /// The values: those of a `.npy` file, relative to this file.
    pub npy: Option<Spanned<String>>,
    /// The values: an expression over the indices of the element and over what buffers held at first.
    pub expression: Option<Spanned<String>>,
    /// Whether these may be anything.
    #[serde(default)]
    pub any: bool,
    /// Whether the order does not count.
    #[serde(default)]
    pub unordered: bool,
    /// How far off a value may be.
    pub abs: Option<Number>,
    /// The same, relative to the value that is wanted; both may be added up.
    pub rel: Option<Number>,
    /// How many values of the type may lie between.
    pub ulp: Option<u64>,
}

/// A tensor map (ISA §5.5).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Map {
    /// The buffer that it is about.
    pub buffer: Spanned<String>,
    /// The first byte of the tensor in the buffer.
    #[serde(default)]
    pub offset: u64,
    /// The type of its elements; that of the buffer unless it says otherwise.
    pub dtype: Option<DType>,
    /// Its shape, the outermost dimension first; that of the buffer unless it says otherwise.
    pub shape: Option<Vec<u64>>,
    /// The distance between neighbours in bytes for all dimensions but the last; without gaps unless it says otherwise.
    pub strides: Option<Spanned<Vec<u64>>>,
    /// The box that one copy moves, in the order of the shape.
    #[serde(rename = "box")]
    pub tile: Spanned<Vec<u32>>,
    /// Steps from element to element, in the order of the shape; ones unless it says otherwise.
    pub element_strides: Option<Spanned<Vec<u32>>>,
    /// How the box lies in shared memory.
    #[serde(default)]
    pub swizzle: Swizzle,
    /// What comes from outside of the tensor.
    #[serde(default)]
    pub outside: Outside,
}

/// How a box lies in shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[allow(missing_docs)] // the names say it
pub enum Swizzle {
    #[default]
    #[serde(rename = "none")]
    None,
    #[serde(rename = "32B")]
    B32,
    #[serde(rename = "64B")]
    B64,
    #[serde(rename = "128B")]
    B128,
}

/// What comes from outside of a tensor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // the names say it
pub enum Outside {
    #[default]
    Zeros,
    Nan,
}

/// A launch.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// The entry.
    pub entry: Spanned<String>,
    /// CTAs.
    pub grid: Extent,
    /// Threads of a CTA.
    pub block: Extent,
    /// CTAs of a cluster.
    pub cluster: Option<Extent>,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    pub shared: u32,
    /// The arguments, in the order of the parameters or by their names.
    #[serde(default)]
    pub args: Args,
    /// Whether it may begin before the launch before it has ended.
    #[serde(default)]
    pub programmatic: bool,
    /// How often it is done.
    #[serde(default = "once")]
    pub repeat: u32,
}

fn once() -> u32 {
    1
}

/// Sizes in x, y and z: `4`, `[4]`, `[4, 2]`, `[4, 2, 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent(pub [u32; 3]);

/// Arguments.
#[derive(Clone, Debug)]
pub enum Args {
    /// In the order of the parameters.
    List(Vec<Spanned<Arg>>),
    /// By the names of the parameters.
    Named(BTreeMap<Spanned<String>, Spanned<Arg>>),
}

impl Default for Args {
    fn default() -> Self {
        Args::List(Vec::new())
    }
}

/// An argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// A number, of the type of the parameter.
    Number(Number),
    /// A buffer's address or a tensor map, by name.
    Name(String),
    /// Something that says what it is.
    Table(ArgTable),
}

/// An argument that says what it is: exactly one of these, and `offset` for addresses.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArgTable {
    /// The address of a buffer.
    pub buffer: Option<String>,
    /// The address of a variable or function of the module.
    pub symbol: Option<String>,
    /// What is added to an address, in bytes.
    pub offset: Option<i64>,
    /// Hexadecimal digits, the first byte first.
    pub bytes: Option<String>,
    /// A tensor map.
    pub map: Option<String>,
    /// A type for `value`, where the parameter has none.
    pub dtype: Option<DType>,
    /// A number.
    pub value: Option<Number>,
    /// Members of a structure by their offset: every one an argument again.
    pub members: Option<Vec<Member>>,
}

/// A member of a structure.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The offset of its first byte.
    pub at: u64,
    /// Its type, for a number.
    pub dtype: Option<DType>,
    /// What it is.
    pub arg: Arg,
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the names say it
pub enum Number {
    Int(i64),
    Real(f64),
}

impl Default for Number {
    fn default() -> Self {
        Number::Int(0)
    }
}

impl Number {
    /// As a real number.
    pub fn real(self) -> f64 {
        match self {
            Number::Int(n) => n as f64,
            Number::Real(x) => x,
        }
    }
}

impl From<Number> for crate::dtype::Value {
    fn from(n: Number) -> Self {
        match n {
            Number::Int(n) => crate::dtype::Value::Int(i128::from(n)),
            Number::Real(x) => crate::dtype::Value::Real(x),
        }
    }
}

/// Visits one of several kinds of TOML values: those for which there is a function.
struct Kinds<T> {
    expecting: &'static str,
    number: Option<fn(Number) -> T>,
    text: Option<fn(&str) -> Option<T>>,
    of: PhantomData<T>,
}

impl<'de, T: FromParts<'de>> Visitor<'de> for Kinds<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expecting)
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<T, E> {
        match self.number {
            Some(make) => Ok(make(Number::Int(n))),
            None => Err(E::invalid_type(de::Unexpected::Signed(n), &self)),
        }
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<T, E> {
        match self.number {
            Some(make) => Ok(make(Number::Real(x))),
            None => Err(E::invalid_type(de::Unexpected::Float(x), &self)),
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        match self.text.and_then(|make| make(text)) {
            Some(v) => Ok(v),
            None => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<T, A::Error> {
        T::from_seq(SeqAccessDeserializer::new(seq))
            .unwrap_or_else(|| Err(A::Error::invalid_type(de::Unexpected::Seq, &self)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_map(MapAccessDeserializer::new(map))
            .unwrap_or_else(|| Err(A::Error::invalid_type(de::Unexpected::Map, &self)))
    }
}

/// What can be made of a list or of a table; `None` where it cannot.
trait FromParts<'de>: Sized {
    fn from_seq<D: Deserializer<'de>>(_: D) -> Option<Result<Self, D::Error>> {
        None
    }
    fn from_map<D: Deserializer<'de>>(_: D) -> Option<Result<Self, D::Error>> {
        None
    }
}

impl FromParts<'_> for Number {}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Kinds {
            expecting: "a number",
            number: Some(|n| n),
            text: None,
            of: PhantomData,
        })
    }
}

impl<'de> FromParts<'de> for Extent {
    fn from_seq<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        Some(Vec::<u32>::deserialize(d).and_then(|sizes| {
            let mut all = [1; 3];
            match sizes.len() {
                1..=3 => {
                    all[..sizes.len()].copy_from_slice(&sizes);
                    Ok(Extent(all))
                }
                n => Err(D::Error::invalid_length(n, &"one to three sizes")),
            }
        }))
    }
}

impl<'de> Deserialize<'de> for Extent {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let extent: Extent = d.deserialize_any(Kinds {
            expecting: "a size, or sizes in x, y and z",
            number: Some(|n| match n {
                Number::Int(n) => Extent([u32::try_from(n).unwrap_or(0), 1, 1]),
                Number::Real(_) => Extent([0, 1, 1]),
            }),
            text: None,
            of: PhantomData,
        })?;
        match extent.0.contains(&0) {
            true => Err(D::Error::custom("sizes are from 1 to 4294967295")),
            false => Ok(extent),
        }
    }
}

impl<'de> FromParts<'de> for Args {
    fn from_seq<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        Some(Vec::deserialize(d).map(Args::List))
    }
    fn from_map<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        Some(BTreeMap::deserialize(d).map(Args::Named))
    }
}

impl<'de> Deserialize<'de> for Args {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Kinds {
            expecting: "a list of arguments, or a table of them by the names of the parameters",
            number: None,
            text: None,
            of: PhantomData,
        })
    }
}

impl<'de> FromParts<'de> for Arg {
    fn from_map<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        Some(ArgTable::deserialize(d).map(Arg::Table))
    }
}

impl<'de> Deserialize<'de> for Arg {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Kinds {
            expecting: "a number, the name of a buffer or of a map, or a table like { buffer = \"a\", offset = 4 }",
            number: Some(Arg::Number),
            text: Some(|s| Some(Arg::Name(s.to_owned()))),
            of: PhantomData,
        })
    }
}

impl<'de> FromParts<'de> for Expect {
    fn from_seq<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        Some(Vec::deserialize(d).map(Expect::Values))
    }
    fn from_map<D: Deserializer<'de>>(d: D) -> Option<Result<Self, D::Error>> {
        // No place of its own: messages then have that of the buffer.
        let one = |w| Expect::Values(vec![Spanned::new(0..0, w)]);
        Some(Wanted::deserialize(d).map(one))
    }
}

impl<'de> Deserialize<'de> for Expect {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Kinds {
            expecting: "\"unchanged\", \"any\", a table with `npy` or `expression`, or a list of such tables",
            number: None,
            text: Some(|s| match s {
                "unchanged" => Some(Expect::Unchanged),
                "any" => Some(Expect::Any),
                _ => None,
            }),
            of: PhantomData,
        })
    }
}

/// Reads a launch file.
///
/// Errors: what is no TOML, a field that there is not, a value of the wrong kind.
pub fn parse(text: &str) -> Result<File, LaunchError> {
    toml::from_str(text).map_err(|e| LaunchError {
        message: e.message().replace("unknown variant", "unknown value"),
        span: e.span(),
        help: Vec::new(),
        unknown: unknown(e.message()),
    })
}

/// The word that is not known, and those that are, of a message like "unknown field `a`, expected one of `b`, `c`".
fn unknown(message: &str) -> Option<(String, Vec<String>)> {
    if !message.starts_with("unknown ") {
        return None;
    }
    let mut quoted = message.split('`').skip(1).step_by(2).map(str::to_owned);
    Some((quoted.next()?, quoted.collect()))
}
