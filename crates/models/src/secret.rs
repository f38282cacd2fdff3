//! A key that does not show itself.

use std::fmt;

use serde::Deserialize;

const MASK: &str = "********";

/// A key of a provider. It is masked wherever it is printed.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The key itself, to be sent to whom it belongs.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// `text` with the key masked, should it stand there.
    pub(crate) fn mask_in(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(key: T) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_masked_wherever_it_is_printed() {
        let secret = Secret::from("sk-123456");
        assert_eq!(format!("{secret} {secret:?}"), "******** ********");
        assert_eq!(secret.mask_in("the key sk-123456 is wrong"), "the key ******** is wrong");
        assert_eq!(Secret::from("").mask_in("as it is"), "as it is");
    }
}
