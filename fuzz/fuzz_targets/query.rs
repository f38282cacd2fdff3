//! Reads any bytes as a query and looks for it in itself.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| assert!(ibid_index::query::fuzz(bytes)));
