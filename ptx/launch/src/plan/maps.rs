//! Tensor maps of a launch file.

use ptx::layout::swizzle;
use ptx::layout::tensormap::{Element, Fill, L2Promotion, TensorMap, TensorMapError};

use super::BufferPlan;
use crate::dtype::DType;
use crate::error::LaunchError;
use crate::file::{Map, Outside, Swizzle};

/// The element type of a tensor map for a type of ours: one of the same size if there is no other.
fn element(d: DType) -> Element {
    match d {
        DType::U8 | DType::S8 | DType::B8 | DType::E4m3 | DType::E5m2 => Element::U8,
        DType::U16 | DType::S16 | DType::B16 => Element::U16,
        DType::U32 | DType::B32 => Element::U32,
        DType::S32 => Element::S32,
        DType::U64 | DType::B64 => Element::U64,
        DType::S64 => Element::S64,
        DType::F16 => Element::F16,
        DType::Bf16 => Element::Bf16,
        DType::F32 => Element::F32,
        DType::F64 => Element::F64,
    }
}

/// A tensor map over a buffer, with the address zero.
///
/// Errors: sizes that do not fit each other or the buffer, or that the hardware does not know.
pub fn plan(m: &Map, name: &str, buffer: &BufferPlan) -> Result<TensorMap, LaunchError> {
    let dtype = m.dtype.unwrap_or(buffer.dtype);
    let shape = m.shape.as_ref().unwrap_or(&buffer.shape);
    let rank = shape.len();
    let size = dtype.bytes() as u64;
    let counted = |what: &str, n: usize, wanted: usize| match n == wanted {
        true => Ok(()),
        false => Err(LaunchError::new(format!(
            "the map `{name}` has {rank} dimensions, and {n} {what}, not {wanted}"
        ))),
    };
    counted("sizes in `box`", m.tile.get_ref().len(), rank).map_err(|e| e.at(m.tile.span()))?;
    let strides = match &m.strides {
        Some(s) => {
            counted("strides", s.get_ref().len(), rank.saturating_sub(1))
                .map_err(|e| e.at(s.span()))?;
            s.get_ref().clone()
        }
        None => (1..rank)
            .map(|i| shape[i..].iter().fold(size, |n, d| n.saturating_mul(*d)))
            .collect(),
    };
    let element_strides = match &m.element_strides {
        Some(s) => {
            counted("element strides", s.get_ref().len(), rank).map_err(|e| e.at(s.span()))?;
            s.get_ref().clone()
        }
        None => vec![1; rank],
    };
    // The last element has to be in the buffer.
    let steps = shape.iter().zip(strides.iter().chain([&size]));
    let last = steps.fold(m.offset, |at, (n, s)| {
        at.saturating_add(n.saturating_sub(1).saturating_mul(*s))
    });
    let end = last.saturating_add(size);
    if end > buffer.bytes() as u64 {
        return Err(LaunchError::new(format!(
            "the map `{name}` reaches to byte {end} of `{}`, which has {}",
            buffer.name,
            buffer.bytes()
        )));
    }
    let inner_first = |v: &[u32]| v.iter().rev().copied().collect();
    let map = TensorMap {
        element: element(dtype),
        address: 0,
        dims: shape.iter().rev().copied().collect(),
        strides: strides.into_iter().rev().collect(),
        box_dims: inner_first(m.tile.get_ref()),
        element_strides: inner_first(&element_strides),
        swizzle: match m.swizzle {
            Swizzle::None => swizzle::Swizzle::None,
            Swizzle::B32 => swizzle::Swizzle::B32,
            Swizzle::B64 => swizzle::Swizzle::B64,
            Swizzle::B128 => swizzle::Swizzle::B128,
        },
        fill: match m.outside {
            Outside::Zeros => Fill::Zero,
            Outside::Nan => Fill::Nan,
        },
        l2: L2Promotion::None,
    };
    match map.check() {
        Ok(()) => Ok(map),
        Err(e) => {
            let place = match (&e, &m.strides, &m.element_strides) {
                (TensorMapError::Stride(..), Some(s), _) => s.span(),
                (TensorMapError::ElementStride(..), _, Some(s)) => s.span(),
                _ => m.tile.span(),
            };
            Err(LaunchError::new(format!(
                "the map `{name}` is no tensor map: {e} (dimension 0 is the last one of the shape)"
            ))
            .at(place))
        }
    }
}
