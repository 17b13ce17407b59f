//! tactics
