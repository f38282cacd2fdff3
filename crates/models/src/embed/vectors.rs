//! What every vector goes through before it is given out.

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use super::EmbedError;

/// Checks a vector and brings it to length one.
pub(super) fn normalize_vector(mut vector: Vec<f32>, dimension: Option<usize>) -> Result<Vec<f32>, EmbedError> {
    if let Some(expected) = dimension
        && vector.len() != expected
    {
        return Err(EmbedError::WrongDimension { expected, got: vector.len() });
    }
    let length = vector.iter().map(|&number| f64::from(number).powi(2)).sum::<f64>().sqrt();
    if !length.is_finite() {
        return Err(EmbedError::Unavailable("a vector holds something that is not a number".to_owned()));
    }
    if length < 1e-12 {
        return Err(EmbedError::Unavailable("a vector is zero".to_owned()));
    }
    for number in &mut vector {
        *number = (f64::from(*number) / length) as f32;
    }
    Ok(vector)
}

/// A vector on the wire: a list of numbers, or the bytes of little-endian 32-bit floats in base64.
pub(super) struct WireVector(pub Vec<f32>);

impl<'de> Deserialize<'de> for WireVector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = WireVector;

            fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str("a list of numbers, or base64 of 32-bit floats")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<WireVector, A::Error> {
                let mut numbers = Vec::new();
                while let Some(number) = list.next_element()? {
                    numbers.push(number);
                }
                Ok(WireVector(numbers))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<WireVector, E> {
                use base64::Engine as _;
                let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(E::custom)?;
                let (numbers, rest) = bytes.as_chunks::<4>();
                if !rest.is_empty() {
                    return Err(E::custom("the bytes of a vector are not a multiple of four"));
                }
                Ok(WireVector(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()))
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_come_out_with_length_one_or_not_at_all() {
        assert_eq!(normalize_vector(vec![3.0, 4.0], Some(2)).unwrap(), [0.6, 0.8]);
        assert_eq!(normalize_vector(vec![-3e38, 0.0], None).unwrap(), [-1.0, 0.0]);
        assert_eq!(normalize_vector(vec![1.0], Some(2)), Err(EmbedError::WrongDimension { expected: 2, got: 1 }));
        for bad in [vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0], vec![0.0, 0.0], vec![]] {
            assert!(matches!(normalize_vector(bad, None), Err(EmbedError::Unavailable(_))));
        }
    }

    #[test]
    fn a_vector_is_read_as_numbers_and_as_base64() {
        let read = |json: &str| serde_json::from_str::<WireVector>(json).map(|vector| vector.0);
        assert_eq!(read("[1, -0.5]").unwrap(), [1.0, -0.5]);
        assert_eq!(read(r#""AACAPwAAAL8=""#).unwrap(), [1.0, -0.5]);
        for bad in [r#""AACAPwA=""#, r#""%""#, "[null]", "[\"1\"]", "null", "3", "{}"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
