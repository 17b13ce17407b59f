//! Where things lie: matrix elements in registers and in shared memory. Pure functions of positions.

pub mod descriptor;
pub mod fragment;
pub mod matrix;
pub mod op;
pub mod swizzle;
pub mod tensormap;
pub mod tile;
