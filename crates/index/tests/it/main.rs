//! The index as others use it.
