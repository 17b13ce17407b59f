//! Tensor maps: their conditions, their bytes, `tensormap.replace`, and boxes element by element.

use ptx::layout::swizzle::Swizzle;
use ptx::layout::tensormap::{BYTES, Element, Field, Fill, L2Promotion, TensorMap, TensorMapError};

fn matrix() -> TensorMap {
    TensorMap {
        element: Element::F16,
        address: 0x7f00_0000_1000,
        dims: vec![200, 100],
        strides: vec![400],
        box_dims: vec![64, 32],
        element_strides: vec![1, 1],
        swizzle: Swizzle::B128,
        fill: Fill::Zero,
        l2: L2Promotion::B128,
    }
}

#[test]
fn bytes_and_back() {
    for element in Element::ALL {
        for swizzle in Swizzle::ALL {
            for rank in 1..=5 {
                let row = swizzle.span().unwrap_or(16);
                let map = TensorMap {
                    element: *element,
                    address: 0x1230,
                    dims: (0..rank).map(|i| (1 << 32) - i).collect(),
                    strides: (1..rank).map(|i| (1 << 40) - 16 * i).collect(),
                    box_dims: (0..rank)
                        .map(|i| if i == 0 { row / element.bytes() } else { 256 - i } as u32)
                        .collect(),
                    element_strides: (0..rank).map(|i| 1 + (i % 8) as u32).collect(),
                    swizzle,
                    fill: if element.is_float() { Fill::Nan } else { Fill::Zero },
                    l2: L2Promotion::B256,
                };
                let object = map.encode().unwrap();
                assert_eq!(TensorMap::decode(&object), Ok(map));
            }
        }
    }
}

/// What `cuTensorMapEncodeTiled` refuses, for the reason that its documentation gives.
#[test]
fn conditions() {
    use TensorMapError as E;
    type Change = fn(&mut TensorMap);
    let cases: &[(Change, TensorMapError)] = &[
        (|m| m.dims.clear(), E::Rank(0)),
        (|m| m.dims = vec![1; 6], E::Rank(6)),
        (|m| m.strides.push(16), E::Count("strides", 1, 2)),
        (|m| m.box_dims.push(1), E::Count("box sizes", 2, 3)),
        (
            |m| m.element_strides.truncate(1),
            E::Count("element strides", 2, 1),
        ),
        (|m| m.address += 8, E::Address(0x7f00_0000_1008)),
        (|m| m.dims[1] = 0, E::Dim(1, 0)),
        (|m| m.dims[0] = (1 << 32) + 1, E::Dim(0, (1 << 32) + 1)),
        (|m| m.strides[0] = 408, E::Stride(1, 408)),
        (|m| m.strides[0] = 1 << 40, E::Stride(1, 1 << 40)),
        (|m| m.box_dims[1] = 0, E::Box(1, 0)),
        (|m| m.box_dims[1] = 257, E::Box(1, 257)),
        (|m| m.element_strides[1] = 0, E::ElementStride(1, 0)),
        (|m| m.element_strides[1] = 9, E::ElementStride(1, 9)),
        (
            |m| (m.box_dims[0], m.swizzle) = (12, Swizzle::None),
            E::BoxRow(24),
        ),
        (|m| m.box_dims[0] = 72, E::Span(144, 128)),
        (|m| m.swizzle = Swizzle::B64, E::Span(128, 64)),
        (|m| m.swizzle = Swizzle::B32, E::Span(128, 32)),
        (|m| m.swizzle = Swizzle::B96, E::Span(128, 96)),
        (|m| m.box_dims[0] = 32, E::Span(64, 128)),
        (
            |m| (m.element, m.fill) = (Element::U16, Fill::Nan),
            E::FillType("u16"),
        ),
    ];
    assert_eq!(matrix().check(), Ok(()));
    for (change, error) in cases {
        let mut map = matrix();
        change(&mut map);
        assert_eq!(map.check().as_ref(), Err(error), "{error}");
        assert_eq!(map.encode().as_ref(), Err(error));
    }
    // The first element stride is ignored.
    let mut map = matrix();
    map.element_strides[0] = 0;
    assert_eq!(map.check(), Ok(()));
    assert_eq!(map.tile(&[0, 0]), matrix().tile(&[0, 0]));
}

/// The replacements with which a kernel builds the matrix from zeros.
const BUILD: &[(&str, u64, u64)] = &[
    ("global_address", 0, 0x7f00_0000_1000),
    ("rank", 0, 1),
    ("box_dim", 0, 64),
    ("box_dim", 1, 32),
    ("global_dim", 0, 200),
    ("global_dim", 1, 100),
    ("global_stride", 0, 400),
    ("element_stride", 0, 1),
    ("element_stride", 1, 1),
    ("elemtype", 0, 6),
    ("interleave_layout", 0, 0),
    ("swizzle_mode", 0, 3),
    ("fill_mode", 0, 0),
];

#[test]
fn replacing_in_any_order() {
    let wanted = TensorMap {
        l2: L2Promotion::None,
        ..matrix()
    };
    for start in 0..BUILD.len() {
        for step in [1, 5, 7] {
            let mut object = [0; BYTES];
            for i in 0..BUILD.len() {
                let (field, ordinal, value) = BUILD[(start + i * step) % BUILD.len()];
                let field = Field::from_name(field).unwrap();
                field.replace(&mut object, ordinal, value).unwrap();
            }
            assert_eq!(TensorMap::decode(&object).as_ref(), Ok(&wanted));
        }
    }
    // Every one of them is needed, but those that write the default.
    for (left_out, without) in BUILD.iter().enumerate() {
        let mut object = [0; BYTES];
        for (i, (field, ordinal, value)) in BUILD.iter().enumerate() {
            if i != left_out {
                let field = Field::from_name(field).unwrap();
                field.replace(&mut object, *ordinal, *value).unwrap();
            }
        }
        let is_default = matches!(without.0, "interleave_layout" | "fill_mode");
        let ignored = without.0 == "element_stride" && without.1 == 0;
        let same = TensorMap::decode(&object)
            .is_ok_and(|m| m == wanted || (ignored && m.tile(&[3, 4]) == wanted.tile(&[3, 4])));
        assert_eq!(same, is_default || ignored, "{without:?}");
    }
}

/// The numbers of ISA §9.7.10.29's table, each with what it makes of the matrix.
#[test]
fn replaced_values() {
    use TensorMapError as E;
    let replaced = |field: Field, value: u64| {
        let mut object = matrix().encode().unwrap();
        field
            .replace(&mut object, 0, value)
            .and_then(|()| TensorMap::decode(&object))
    };
    let types = [
        (0, Ok(Element::U8)),
        (1, Ok(Element::U16)),
        (2, Ok(Element::U32)),
        (3, Ok(Element::S32)),
        (4, Ok(Element::U64)),
        (5, Ok(Element::S64)),
        (6, Ok(Element::F16)),
        (7, Ok(Element::F32)),
        (8, Err(E::Conversion("f32.ftz"))),
        (9, Ok(Element::F64)),
        (10, Ok(Element::Bf16)),
        (11, Err(E::Conversion("tf32"))),
        (12, Err(E::Conversion("tf32.ftz"))),
        (13, Err(E::Packed(13))),
        (14, Err(E::Packed(14))),
        (15, Err(E::Packed(15))),
        (16, Err(E::Element(16))),
    ];
    for (code, element) in types {
        let map = TensorMap {
            box_dims: vec![16, 16],
            swizzle: Swizzle::None,
            ..matrix()
        };
        let mut object = map.encode().unwrap();
        Field::ElemType.replace(&mut object, 0, code).unwrap();
        assert_eq!(TensorMap::decode(&object).map(|m| m.element), element);
        if let Ok(element) = element {
            assert_eq!(u64::from(element.code()), code);
            assert_eq!(Element::from_name(element.name()), Some(element));
        }
    }
    for (mode, atom, swizzle) in [
        (0, 0, Ok(Swizzle::None)),
        (0, 3, Ok(Swizzle::None)),
        (1, 0, Ok(Swizzle::B32)),
        (2, 0, Ok(Swizzle::B64)),
        (3, 0, Ok(Swizzle::B128)),
        (3, 1, Ok(Swizzle::B128Atom32)),
        (3, 2, Ok(Swizzle::B128Atom32Flip8)),
        (3, 3, Ok(Swizzle::B128Atom64)),
        (4, 0, Ok(Swizzle::B96)),
        (1, 1, Err(E::Atomicity(1, 1))),
        (2, 3, Err(E::Atomicity(2, 3))),
        (4, 2, Err(E::Atomicity(4, 2))),
        (5, 0, Err(E::Code("swizzle_mode", 5))),
        (3, 4, Err(E::Code("swizzle_atomicity", 4))),
    ] {
        let row = swizzle.as_ref().map_or(128, |s| s.span().unwrap_or(128));
        let map = TensorMap {
            box_dims: vec![row as u32 / 2, 16],
            swizzle: Swizzle::None,
            ..matrix()
        };
        let mut object = map.encode().unwrap();
        Field::SwizzleMode.replace(&mut object, 0, mode).unwrap();
        Field::SwizzleAtomicity
            .replace(&mut object, 0, atom)
            .unwrap();
        assert_eq!(TensorMap::decode(&object).map(|m| m.swizzle), swizzle);
    }
    assert_eq!(replaced(Field::InterleaveLayout, 1), Err(E::Interleave));
    assert_eq!(replaced(Field::InterleaveLayout, 2), Err(E::Interleave));
    assert_eq!(
        replaced(Field::InterleaveLayout, 3),
        Err(E::Code("interleave_layout", 3))
    );
    assert_eq!(replaced(Field::FillMode, 1).map(|m| m.fill), Ok(Fill::Nan));
    assert_eq!(replaced(Field::FillMode, 2), Err(E::Code("fill_mode", 2)));
    // The rank is one more than the number; a number too large for the field does not spill into the next.
    assert_eq!(replaced(Field::Rank, 0).map(|m| m.dims), Ok(vec![200]));
    assert_eq!(replaced(Field::Rank, 5), Err(E::Rank(6)));
    assert_eq!(replaced(Field::Rank, 256), Err(E::Code("rank", 256)));
    assert_eq!(replaced(Field::BoxDim, 300), Err(E::Box(0, 300)));
    let mut object = [0; BYTES];
    assert_eq!(Field::BoxDim.replace(&mut object, 5, 1), Err(E::Ordinal(5)));
    assert_eq!(
        Field::GlobalStride.replace(&mut object, 4, 16),
        Err(E::Ordinal(4))
    );
    assert_eq!(object, [0; BYTES]);
}

/// A byte of global memory in these tests.
fn global(address: u64) -> u8 {
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8
}

/// Shared memory after a load of a box, computed from runs and pieces as the machine does.
fn loaded(map: &TensorMap, coordinates: &[i32], dst: u64, size: usize) -> Vec<u8> {
    let mut image = vec![map.fill_byte(); map.box_bytes() as usize];
    for run in map.tile(coordinates) {
        for i in 0..run.bytes {
            if let Some(address) = run.global {
                image[(run.offset + i) as usize] = global(address + i);
            }
        }
    }
    let mut shared = vec![0xEE; size];
    for (at, range) in map.swizzle.pieces(dst, image.len()) {
        let at = at as usize;
        shared[at..at + range.len()].copy_from_slice(&image[range]);
    }
    shared
}

/// The same, element by element: its box index, its coordinates, its address, and its place by the manual's words.
fn expected(map: &TensorMap, coordinates: &[i32], dst: u64, size: usize) -> Vec<u8> {
    let rank = map.dims.len();
    let counts: Vec<u64> = (0..rank)
        .map(|i| {
            let step = if i == 0 { 1 } else { map.element_strides[i] };
            (1..=u64::from(map.box_dims[i]))
                .step_by(step as usize)
                .count() as u64
        })
        .collect();
    let total: u64 = counts.iter().product();
    let bytes = map.element.bytes();
    let mut shared = vec![0xEE; size];
    for n in 0..total {
        let (mut rest, mut address, mut outside) = (n, i128::from(map.address), false);
        for i in 0..rank {
            let index = rest % counts[i];
            rest /= counts[i];
            let step = if i == 0 { 1 } else { map.element_strides[i] };
            let x = i128::from(coordinates[i]) + i128::from(index) * i128::from(step);
            outside |= x < 0 || x >= i128::from(map.dims[i]);
            let stride = if i == 0 { bytes } else { map.strides[i - 1] };
            address += x * i128::from(stride);
        }
        for b in 0..bytes {
            let value = if outside {
                if map.fill == Fill::Nan { 0xFF } else { 0 }
            } else {
                global(address as u64 + b)
            };
            let at = dst + n * bytes + b;
            // 128B: "16-byte chunk index xor (row mod 8)", and so on.
            let (line, unit) = (at / 128, at / 16 % 8);
            let unit = match map.swizzle {
                Swizzle::None => unit,
                Swizzle::B32 | Swizzle::B96 => unit ^ (line % 2),
                Swizzle::B64 => unit ^ (line % 4),
                Swizzle::B128 => unit ^ (line % 8),
                Swizzle::B128Atom32 | Swizzle::B128Atom32Flip8 => unit ^ (2 * (line % 4)),
                Swizzle::B128Atom64 => unit ^ (4 * (line % 2)),
            };
            let flip = map.swizzle == Swizzle::B128Atom32Flip8 && line % 2 == 1;
            let within = if flip { (at + 8) % 16 } else { at % 16 };
            shared[(128 * line + 16 * unit + within) as usize] = value;
        }
    }
    shared
}

#[test]
fn boxes_of_every_rank_element_by_element() {
    let shapes: &[(&[u64], &[u32], &[u32])] = &[
        (&[50], &[32], &[1]),
        (&[50, 21], &[32, 8], &[1, 1]),
        (&[50, 21], &[32, 9], &[1, 3]),
        (&[40, 5, 7], &[16, 4, 3], &[1, 1, 2]),
        (&[40, 5, 7, 3], &[16, 3, 2, 4], &[1, 2, 1, 3]),
        (&[40, 5, 7, 3, 2], &[16, 2, 3, 2, 3], &[1, 1, 2, 1, 1]),
    ];
    for (dims, boxes, steps) in shapes {
        for element in [Element::U8, Element::Bf16, Element::F32, Element::S64] {
            let mut strides = Vec::new();
            let mut stride = (dims[0] * element.bytes()).next_multiple_of(16) + 32;
            for dim in &dims[1..] {
                strides.push(stride);
                stride *= dim + 1;
            }
            let map = TensorMap {
                element,
                address: 0x4_0000,
                dims: dims.to_vec(),
                strides,
                box_dims: boxes.to_vec(),
                element_strides: steps.to_vec(),
                swizzle: Swizzle::None,
                fill: if element.is_float() {
                    Fill::Nan
                } else {
                    Fill::Zero
                },
                l2: L2Promotion::None,
            };
            map.check().unwrap();
            // Inside, over each edge, and wholly outside on either side.
            for shift in [0, -1, -7, -100, 2, 19, 45, 1000, i32::MIN, i32::MAX] {
                for fixed in 0..=dims.len() {
                    let at: Vec<i32> = (0..dims.len())
                        .map(|i| {
                            if fixed == dims.len() || i == fixed {
                                shift
                            } else {
                                1
                            }
                        })
                        .collect();
                    assert_eq!(
                        loaded(&map, &at, 128, 40_000),
                        expected(&map, &at, 128, 40_000),
                        "{element:?} {dims:?} {at:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn boxes_of_every_swizzle_element_by_element() {
    for swizzle in Swizzle::ALL {
        for element in [Element::U8, Element::F16, Element::F32, Element::F64] {
            let row = swizzle.span().unwrap_or(64);
            for rows in [1, 8, 11] {
                let map = TensorMap {
                    element,
                    address: 0x9_0000,
                    dims: vec![row / element.bytes() + 5, 40],
                    strides: vec![(row + 5 * element.bytes()).next_multiple_of(16)],
                    box_dims: vec![(row / element.bytes()) as u32, rows],
                    element_strides: vec![1, 1],
                    swizzle,
                    fill: Fill::Zero,
                    l2: L2Promotion::None,
                };
                map.check().unwrap();
                for dst in [0, 128, 384, 1024, 1920] {
                    for at in [[0, 0], [2, 3], [-3, 35], [7, -2]] {
                        assert_eq!(
                            loaded(&map, &at, dst, 4096),
                            expected(&map, &at, dst, 4096),
                            "{} {element:?} {rows} {dst} {at:?}",
                            swizzle.name()
                        );
                    }
                }
            }
        }
    }
}

/// With the wrong mode the same box lies elsewhere: no two modes agree on a whole pattern.
#[test]
fn a_wrong_swizzle_shows() {
    let lines = |mode: Swizzle| (0..1024).map(|a| mode.apply(a)).collect::<Vec<_>>();
    for a in Swizzle::ALL {
        for b in Swizzle::ALL {
            let same_table = a == b
                || matches!(
                    (a, b),
                    (Swizzle::B32, Swizzle::B96) | (Swizzle::B96, Swizzle::B32)
                );
            assert_eq!(
                lines(a) == lines(b),
                same_table,
                "{} {}",
                a.name(),
                b.name()
            );
        }
    }
}

#[test]
fn runs_are_few() {
    // A box inside is one run a row, one over the edge two, one outside one.
    let map = matrix();
    assert_eq!(map.tile(&[0, 0]).len(), 32);
    assert_eq!(map.tile(&[180, 0]).len(), 64);
    assert_eq!(map.tile(&[-4, 0]).len(), 64);
    assert_eq!(map.tile(&[500, 0]).len(), 32);
    assert!(map.tile(&[0, -32]).iter().all(|r| r.global.is_none()));
    assert_eq!(map.box_bytes(), 64 * 32 * 2);
}
