//! Buffers of a launch file: their values at first, and what is wanted in the end.

use std::path::Path;

use ptx::layout::tensormap::TensorMap;
use ptx::module::{Module, Space};
use toml::Spanned;

use super::{BufferPlan, Source, maps};
use crate::args::address;
use crate::compare::{Part, Region, Tolerance, indices, places};
use crate::dtype::{DType, Value};
use crate::error::LaunchError;
use crate::expr::{self, Data, Scope};
use crate::file::{Buffer, Expect, File, Fill, Map, Wanted};
use crate::{fill, npy};

/// The most bytes of all buffers together.
const LARGEST: u64 = 1 << 28;

/// The most elements of a file that come from `.npy` files and expressions, all together.
const MOST_VALUES: u64 = 1 << 24;

/// A named thing with its place.
type Named<'f, T> = (&'f Spanned<String>, &'f T);

/// Tensor maps: the buffer, the offset, the map.
type Maps = Vec<(usize, u64, TensorMap)>;

fn in_order<T>(all: &std::collections::BTreeMap<Spanned<String>, T>) -> Vec<Named<'_, T>> {
    let mut list: Vec<Named<'_, T>> = all.iter().collect();
    list.sort_by_key(|(name, _)| name.span().start);
    list
}

/// The buffers and the tensor maps of a file.
///
/// Errors: whatever is wrong with them first.
pub fn plan(
    file: &File,
    module: &Module,
    folder: &Path,
) -> Result<(Vec<BufferPlan>, Vec<String>, Maps), LaunchError> {
    let named: Vec<Named<'_, Buffer>> = in_order(&file.buffers);
    let names: Vec<String> = named.iter().map(|(n, _)| n.get_ref().clone()).collect();
    let mut reader = Reader {
        folder,
        names: &names,
        data: Vec::new(),
        scope: Vec::new(),
        values: 0,
    };
    let mut out: Vec<BufferPlan> = Vec::new();
    let mut left = LARGEST;
    for (name, b) in &named {
        let one = reader.start(name.get_ref(), b, left);
        let one = one.map_err(|e| e.at(name.span()))?;
        left -= one.bytes() as u64;
        if let Some(symbol) = &b.symbol {
            variable(symbol.get_ref(), &one, module).map_err(|e| e.at(symbol.span()))?;
        }
        out.push(one);
    }
    // Expressions come last, in the order of the file: they look at other buffers, and at those before them.
    reader.look_at(&out);
    for (i, (_, b)) in named.iter().enumerate() {
        if let Some(f) = &b.fill
            && let Fill::Expression(text) = f.get_ref()
        {
            let values = reader.expression(text, &out[i], &whole(&out[i].shape));
            let values = values.map_err(|e| e.at(f.span()))?;
            let bytes = fill::bytes(out[i].dtype, values.into_iter());
            reader.data[i].bytes.clone_from(&bytes);
            out[i].source = Source::Bytes(bytes);
        }
    }
    for (i, (name, b)) in named.iter().enumerate() {
        let parts = reader.parts(b, &out[i]);
        out[i].parts = parts.map_err(|e| e.at(name.span()))?;
    }
    let map_list: Vec<Named<'_, Map>> = in_order(&file.maps);
    let mut planned = Vec::new();
    let mut map_names = Vec::new();
    for (name, m) in map_list {
        if names.contains(name.get_ref()) {
            return Err(
                LaunchError::new(format!("`{}` is a buffer already", name.get_ref()))
                    .at(name.span()),
            );
        }
        let at = names.iter().position(|n| n == m.buffer.get_ref());
        let at = at.ok_or_else(|| {
            LaunchError::new(format!("there is no buffer `{}`", m.buffer.get_ref()))
                .at(m.buffer.span())
                .unknown(m.buffer.get_ref(), names.iter().cloned())
        })?;
        let map = maps::plan(m, name.get_ref(), &out[at]).map_err(|e| e.at(name.span()))?;
        planned.push((at, m.offset, map));
        map_names.push(name.get_ref().clone());
    }
    Ok((out, map_names, planned))
}

/// Checks that a buffer fits the variable that it is.
fn variable(symbol: &str, b: &BufferPlan, module: &Module) -> Result<(), LaunchError> {
    let all = || {
        module
            .variables
            .iter()
            .filter(|v| v.owner.is_none() && matches!(v.space, Space::Global | Space::Const))
    };
    match all().find(|v| v.name == symbol) {
        Some(v) if v.bytes == b.bytes() as u64 => Ok(()),
        Some(v) => Err(LaunchError::new(format!(
            "the variable `{symbol}` has {} bytes, and the buffer `{}` has {}",
            v.bytes,
            b.name,
            b.bytes()
        ))),
        None => Err(LaunchError::new(format!(
            "the module has no variable `{symbol}` in .global or .const"
        ))
        .unknown(symbol, all().map(|v| v.name.clone()))),
    }
}

/// All of a shape.
fn whole(shape: &[u64]) -> Region {
    shape.iter().map(|&n| [0, n]).collect()
}

struct Reader<'a> {
    folder: &'a Path,
    names: &'a [String],
    /// What buffers hold at first, for expressions; empty where that is not known before the run.
    data: Vec<Data>,
    /// Names and dimensions.
    scope: Vec<(String, usize)>,
    /// How many elements came from files and expressions.
    values: u64,
}

impl Reader<'_> {
    /// A buffer without what is expected, and without values that an expression gives.
    fn start(&mut self, name: &str, b: &Buffer, left: u64) -> Result<BufferPlan, LaunchError> {
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            return Err(LaunchError::new(format!(
                "`{name}` is no name for a buffer: letters, digits and `_`, a letter first"
            )));
        }
        let shape = b.shape.get_ref().clone();
        let sized = shape
            .iter()
            .try_fold(b.dtype.bytes() as u64, |n, d| n.checked_mul(*d))
            .filter(|n| (1..=LARGEST).contains(n));
        let Some(bytes) = sized.filter(|_| shape.len() <= expr::MAX_DIMENSIONS) else {
            return Err(LaunchError::new(format!(
                "a buffer has one to {} dimensions, none of them 0, and at most {LARGEST} bytes",
                expr::MAX_DIMENSIONS
            ))
            .at(b.shape.span()));
        };
        if bytes > left {
            return Err(LaunchError::new(format!(
                "all buffers together have more than {LARGEST} bytes"
            ))
            .at(b.shape.span()));
        }
        let count = bytes / b.dtype.bytes() as u64;
        let source = match &b.fill {
            None => Source::Unwritten,
            Some(f) => self
                .source(f.get_ref(), b.dtype, count, &shape)
                .map_err(|e| e.at(f.span()))?,
        };
        Ok(BufferPlan {
            name: name.to_owned(),
            dtype: b.dtype,
            shape,
            source,
            symbol: b.symbol.as_ref().map(|s| s.get_ref().clone()),
            parts: None,
        })
    }

    fn source(
        &mut self,
        f: &Fill,
        dtype: DType,
        count: u64,
        shape: &[u64],
    ) -> Result<Source, LaunchError> {
        let each = |value: &dyn Fn(u64) -> Value| {
            Ok(Source::Bytes(fill::bytes(dtype, (0..count).map(value))))
        };
        match f {
            Fill::Zeros => each(&|_| Value::Int(0)),
            // Not known until it is evaluated.
            Fill::Expression(_) => Ok(Source::Unwritten),
            Fill::Value(v) => each(&|_| (*v).into()),
            Fill::Arange(f) => each(&|n| fill::arange(*f, n)),
            Fill::Uniform(f) => each(&|n| fill::uniform(*f, n)),
            Fill::Integers(f) if f.low >= f.high => Err(LaunchError::new(format!(
                "there are no integers from {} to {}, {} left out",
                f.low, f.high, f.high
            ))),
            Fill::Integers(f) => each(&|n| fill::integers(*f, n)),
            Fill::Normal(f) => each(&|n| fill::normal(*f, n)),
            Fill::List(list) if list.len() as u64 != count => Err(LaunchError::new(format!(
                "the list has {} elements, and the buffer {count}",
                list.len()
            ))),
            Fill::List(list) => each(&|n| list[n as usize].into()),
            Fill::Npy(path) => {
                let (array_shape, values) = self.npy(path, dtype)?;
                if array_shape != shape {
                    return Err(LaunchError::new(format!(
                        "{path} has the shape {array_shape:?}, and the buffer {shape:?}"
                    )));
                }
                each(&|n| values[n as usize])
            }
            Fill::Addresses(_) if dtype.bytes() != 8 || dtype.is_float() => Err(LaunchError::new(
                format!("an address has 8 bytes, and the buffer holds {dtype}"),
            )),
            Fill::Addresses(list) if list.len() as u64 != count => Err(LaunchError::new(format!(
                "the list has {} addresses, and the buffer {count} elements",
                list.len()
            ))),
            Fill::Addresses(list) => {
                let one = |text: &Spanned<String>| {
                    let (name, offset) = address(text.get_ref())?;
                    let at = self.names.iter().position(|n| *n == name);
                    let at = at.ok_or_else(|| {
                        LaunchError::new(format!("there is no buffer `{name}`"))
                            .at(text.span())
                            .unknown(&name, self.names.iter().cloned())
                    })?;
                    Ok((at, offset))
                };
                let all: Result<Vec<_>, LaunchError> = list.iter().map(one).collect();
                Ok(Source::Addresses(all?))
            }
        }
    }

    /// Counts elements that come from files and expressions.
    ///
    /// Errors: too many.
    fn count(&mut self, elements: u64) -> Result<(), LaunchError> {
        self.values = self.values.saturating_add(elements);
        match self.values <= MOST_VALUES {
            true => Ok(()),
            false => Err(LaunchError::new(format!(
                ".npy files and expressions give more than {MOST_VALUES} elements, all together"
            ))),
        }
    }

    fn npy(&mut self, path: &str, dtype: DType) -> Result<(Vec<u64>, Vec<Value>), LaunchError> {
        let array = npy::read(&self.folder.join(path), MOST_VALUES)
            .map_err(|e| LaunchError::new(format!("cannot read {path}: {e}")))?;
        self.count(array.bits.len() as u64)?;
        let values = array
            .values(dtype)
            .map_err(|e| LaunchError::new(format!("{path} does not fit: {e}")))?;
        Ok((array.shape, values))
    }

    /// Lets expressions see what these buffers hold.
    fn look_at(&mut self, buffers: &[BufferPlan]) {
        self.scope = buffers
            .iter()
            .map(|b| (b.name.clone(), b.shape.len()))
            .collect();
        self.data = buffers
            .iter()
            .map(|b| Data {
                name: b.name.clone(),
                shape: b.shape.iter().map(|&n| n as usize).collect(),
                dtype: b.dtype,
                bytes: match &b.source {
                    Source::Bytes(bytes) => bytes.clone(),
                    _ => Vec::new(),
                },
            })
            .collect();
    }

    /// The values of an expression over a region.
    fn expression(
        &mut self,
        text: &str,
        b: &BufferPlan,
        region: &Region,
    ) -> Result<Vec<Value>, LaunchError> {
        let scope = Scope {
            dimensions: b.shape.len(),
            buffers: &self.scope,
        };
        let e = expr::parse(text, &scope)?;
        self.count(region.iter().map(|[from, to]| to - from).product())?;
        let mut steps = 0;
        let mut out = Vec::new();
        for p in places(&b.shape, region) {
            let at: Vec<usize> = indices(&b.shape, p).iter().map(|&i| i as usize).collect();
            let v = expr::evaluate(&e, &at, &self.data, &mut steps);
            let v = v.map_err(|f| LaunchError::new(format!("no value at {at:?}: {f}")))?;
            out.push(integral(v, b).ok_or_else(|| {
                LaunchError::new(format!(
                    "the value at {at:?} is {v}, and the buffer holds {}",
                    b.dtype
                ))
            })?);
        }
        Ok(out)
    }

    fn parts(&mut self, b: &Buffer, plan: &BufferPlan) -> Result<Option<Vec<Part>>, LaunchError> {
        let wanted = match &b.expect {
            Expect::Any => return Ok(None),
            Expect::Unchanged => return Ok(Some(Vec::new())),
            Expect::Values(wanted) => wanted,
        };
        let mut parts = Vec::new();
        for w in wanted {
            let part = self.part(w.get_ref(), plan);
            parts.push(match w.span().is_empty() {
                true => part?,
                false => part.map_err(|e| e.at(w.span()))?,
            });
        }
        Ok(Some(parts))
    }

    fn part(&mut self, w: &Wanted, b: &BufferPlan) -> Result<Part, LaunchError> {
        let region = match &w.part {
            None => whole(&b.shape),
            Some(p) => {
                let r = p.get_ref().clone();
                if r.len() != b.shape.len() {
                    return Err(LaunchError::new(format!(
                        "a part of `{}` has a pair [from, to] for each of its dimensions {:?}",
                        b.name, b.shape
                    ))
                    .at(p.span()));
                }
                let mut pairs = r.iter().zip(&b.shape);
                if let Some(([from, to], n)) = pairs.find(|([from, to], n)| from >= to || to > n) {
                    return Err(LaunchError::new(format!(
                        "[{from}, {to}] is empty or not inside of `{}`: this dimension has the size {n}",
                        b.name
                    ))
                    .at(p.span()));
                }
                r
            }
        };
        let values = match (&w.npy, &w.expression, w.any) {
            (Some(path), None, false) => {
                let at = |e: LaunchError| e.at(path.span());
                let (shape, values) = self.npy(path.get_ref(), b.dtype).map_err(at)?;
                let sizes: Vec<u64> = region.iter().map(|[from, to]| to - from).collect();
                if shape != sizes {
                    return Err(at(LaunchError::new(format!(
                        "{} has the shape {shape:?}, and {sizes:?} is wanted",
                        path.get_ref()
                    ))));
                }
                Some(values)
            }
            (None, Some(e), false) => {
                let values = self.expression(e.get_ref(), b, &region);
                Some(values.map_err(|err| err.at(e.span()))?)
            }
            (None, None, true) => None,
            _ => {
                return Err(LaunchError::new(
                    "what is expected is exactly one of `npy`, `expression`, `any = true`",
                ));
            }
        };
        if [w.abs, w.rel]
            .into_iter()
            .flatten()
            .any(|n| n.real().is_nan() || n.real() < 0.0)
        {
            return Err(LaunchError::new("a tolerance is not below zero"));
        }
        let tolerance = Tolerance {
            abs: w.abs.map_or(0.0, |n| n.real()),
            rel: w.rel.map_or(0.0, |n| n.real()),
            ulp: w.ulp.unwrap_or(0),
        };
        Ok(Part {
            region,
            values,
            unordered: w.unordered,
            tolerance,
        })
    }
}

/// A value as an element of a buffer: integers for integer types.
fn integral(v: Value, b: &BufferPlan) -> Option<Value> {
    match v {
        Value::Real(x) if !b.dtype.is_float() => {
            (x.fract() == 0.0 && x.abs() < 1e18).then_some(Value::Int(x as i128))
        }
        v => Some(v),
    }
}
