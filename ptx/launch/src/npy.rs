//! `.npy` files. NumPy has no names for some of our types: `bf16` is written as `<u2`, `e4m3` and `e5m2` as `|u1`, their
//! bits; where such a type is expected, a file of `<f4` or `<f8` is read as values.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use npyz::{NpyFile, Order, WriterBuilder};

use crate::dtype::{DType, Value};

/// What a file holds: its shape, and its elements row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// The shape, the outermost dimension first.
    pub shape: Vec<u64>,
    /// The type of the file; its bits mean that, or are those of a type that NumPy does not have.
    pub dtype: DType,
    /// The bits of the elements.
    pub bits: Vec<u64>,
}

impl Array {
    /// The elements as values of a type: those of the file, unless the file holds the bits of that type.
    ///
    /// Errors: the file holds something else.
    pub fn values(&self, wanted: DType) -> Result<Vec<Value>, String> {
        let raw = match wanted {
            DType::Bf16 => self.dtype == DType::U16,
            DType::E4m3 | DType::E5m2 => self.dtype == DType::U8,
            _ => false,
        };
        let dtype = if raw { wanted } else { self.dtype };
        if wanted.is_float() != dtype.is_float() {
            return Err(format!("it holds {}, not {wanted}", self.dtype));
        }
        Ok(self.bits.iter().map(|&b| dtype.decode(b)).collect())
    }
}

/// Reads a file that has `most` elements at most.
///
/// Errors: what is wrong with it.
pub fn read(path: &Path, most: u64) -> Result<Array, String> {
    let file = File::open(path).map_err(|e| e.to_string())?;
    let npy = NpyFile::new(BufReader::new(file)).map_err(|e| e.to_string())?;
    let shape = npy.shape().to_vec();
    let count = shape.iter().try_fold(1u64, |n, d| n.checked_mul(*d));
    if count.is_none_or(|n| n > most) {
        return Err(format!("it has more than {most} elements"));
    }
    let name = match npy.dtype() {
        npyz::DType::Plain(t) => t.to_string(),
        _ => return Err("it holds records".to_owned()),
    };
    if npy.order() == Order::Fortran && shape.len() > 1 {
        return Err("it is written column by column (fortran_order)".to_owned());
    }
    macro_rules! as_words {
        ($t:ty, $bits:expr) => {{
            let all: Result<Vec<u64>, _> = npy
                .data::<$t>()
                .map_err(|e| e.to_string())?
                .map(|x| x.map($bits))
                .collect();
            all.map_err(|e| e.to_string())?
        }};
    }
    let (dtype, bits) = match name.trim_start_matches(['<', '|', '>', '=']) {
        "b1" => (DType::U8, as_words!(bool, u64::from)),
        "u1" => (DType::U8, as_words!(u8, u64::from)),
        "u2" => (DType::U16, as_words!(u16, u64::from)),
        "u4" => (DType::U32, as_words!(u32, u64::from)),
        "u8" => (DType::U64, as_words!(u64, |x| x)),
        "i1" => (DType::S8, as_words!(i8, |x| u64::from(x as u8))),
        "i2" => (DType::S16, as_words!(i16, |x| u64::from(x as u16))),
        "i4" => (DType::S32, as_words!(i32, |x| u64::from(x as u32))),
        "i8" => (DType::S64, as_words!(i64, |x| x as u64)),
        "f2" => (
            DType::F16,
            as_words!(npyz::half::f16, |x| u64::from(x.to_bits())),
        ),
        "f4" => (DType::F32, as_words!(f32, |x| u64::from(x.to_bits()))),
        "f8" => (DType::F64, as_words!(f64, f64::to_bits)),
        _ => return Err(format!("it holds elements of type {name}")),
    };
    Ok(Array { shape, dtype, bits })
}

/// Writes a buffer.
///
/// Errors: the file cannot be written.
pub fn write(path: &Path, dtype: DType, shape: &[u64], bytes: &[u8]) -> Result<(), String> {
    let file = File::create(path).map_err(|e| e.to_string())?;
    let mut out = BufWriter::new(file);
    put(&mut out, dtype, shape, bytes)
        .and_then(|()| out.flush())
        .map_err(|e| e.to_string())
}

fn put(out: &mut dyn Write, dtype: DType, shape: &[u64], bytes: &[u8]) -> std::io::Result<()> {
    let count = bytes.len() / dtype.bytes();
    let words = (0..count).map(|i| dtype.bits_at(bytes, i));
    macro_rules! as_elements {
        ($convert:expr) => {{
            let mut w = npyz::WriteOptions::new()
                .default_dtype()
                .shape(shape)
                .writer(out)
                .begin_nd()?;
            w.extend(words.map($convert))?;
            w.finish()
        }};
    }
    match dtype {
        DType::U8 | DType::B8 | DType::E4m3 | DType::E5m2 => as_elements!(|w| w as u8),
        DType::U16 | DType::B16 | DType::Bf16 => as_elements!(|w| w as u16),
        DType::U32 | DType::B32 => as_elements!(|w| w as u32),
        DType::U64 | DType::B64 => as_elements!(|w| w),
        DType::S8 => as_elements!(|w| w as i8),
        DType::S16 => as_elements!(|w| w as i16),
        DType::S32 => as_elements!(|w| w as i32),
        DType::S64 => as_elements!(|w| w as i64),
        DType::F16 => as_elements!(|w| npyz::half::f16::from_bits(w as u16)),
        DType::F32 => as_elements!(|w| f32::from_bits(w as u32)),
        DType::F64 => as_elements!(f64::from_bits),
    }
}
