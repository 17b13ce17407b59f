//! Where things lie: matrix elements in registers and in shared memory. Pure functions of positions.

pub mod swizzle;
pub mod tensormap;
pub mod tile;
