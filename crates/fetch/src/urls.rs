//! Addresses of pages: which are taken, and which are the same.

use ibid_domain::page_url;
use url::Url;

use crate::FetchError;

/// The longest address that is taken, in bytes.
const LONGEST: usize = 8 * 1024;

/// Reads an address as a browser does, and takes it if it is one of the web without a password in it.
pub(crate) fn web_url(text: &str) -> Result<Url, FetchError> {
    let text = text.trim();
    let invalid = || FetchError::InvalidUrl(FetchError::sanitize_text(text));
    if text.len() > LONGEST {
        return Err(invalid());
    }
    check_web_url(Url::parse(text).map_err(|_| invalid())?)
}

/// Takes an address if it is one of the web without a password in it.
pub(crate) fn check_web_url(url: Url) -> Result<Url, FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::SchemeNotAllowed(FetchError::sanitize_text(url.scheme())));
    }
    if url.host_str().is_none_or(str::is_empty) || url.as_str().len() > LONGEST {
        return Err(FetchError::InvalidUrl(FetchError::sanitize_text(url.as_str())));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::CredentialsNotAllowed);
    }
    Ok(url)
}

/// Resolves the Location of a redirect against `from` and checks the result.
pub(crate) fn redirect_target(from: &Url, location: &str) -> Result<Url, FetchError> {
    let to = from.join(location.trim()).map_err(|_| FetchError::InvalidUrl(FetchError::sanitize_text(location)))?;
    let mut to = check_web_url(to)?;
    if from.scheme() == "https" && to.scheme() == "http" {
        // Anyone on the way could then change the page, though the reader asked that nobody can.
        return Err(FetchError::Downgrade(FetchError::sanitize_text(from.as_str())));
    }
    to.set_fragment(None);
    Ok(to)
}

/// The form under which a page is known once, however it was linked.
pub fn normal_url(text: &str) -> Result<Url, FetchError> {
    let mut url = web_url(text)?;
    page_url::normalize_url(&mut url);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_page_has_one_normal_address() {
        for (text, expected) in [
            ("HTTP://Example.ORG:80", "http://example.org/"),
            (" https://example.org:443/a/../b?x=1#part ", "https://example.org/b?x=1"),
            ("https://example.org./a?utm_source=x&b=2&fbclid=9&a=1&UTM_Medium=y", "https://example.org/a?b=2&a=1"),
            ("https://example.org/?utm_source=x", "https://example.org/"),
            ("https://example.org/a?&", "https://example.org/a"),
            ("https://example.org/a?q=%C3%A4+b&&c", "https://example.org/a?q=%C3%A4+b&c"),
            ("https://bücher.example/ä", "https://xn--bcher-kva.example/%C3%A4"),
            ("https://example.org..", "https://example.org/"),
            ("http://0x7f.1:8080/", "http://127.0.0.1:8080/"),
        ] {
            let normal = normal_url(text).unwrap();
            assert_eq!(normal.as_str(), expected);
            assert_eq!(normal_url(normal.as_str()).unwrap(), normal);
        }
    }

    #[test]
    fn what_is_no_address_of_a_page_is_refused() {
        let long = format!("https://example.org/{}", "a".repeat(9000));
        for text in ["", "example.org", "http://", "https://exa mple.org", "http://[::1", "https://a.0x/", &long] {
            assert!(matches!(web_url(text), Err(FetchError::InvalidUrl(_))), "{text}: {:?}", web_url(text));
        }
        for text in ["ftp://example.org", "file:///etc/passwd", "data:text/plain,x", "javascript:1", "gopher://x/"] {
            assert!(matches!(web_url(text), Err(FetchError::SchemeNotAllowed(_))), "{text}");
        }
        for text in ["https://me@example.org", "https://me:pw@example.org", "https://:pw@example.org"] {
            assert_eq!(web_url(text), Err(FetchError::CredentialsNotAllowed), "{text}");
        }
    }

    #[test]
    fn a_redirect_may_not_leave_the_web_or_its_security() {
        let from = Url::parse("https://example.org/a/b?c").unwrap();
        assert_eq!(redirect_target(&from, "../d#e").unwrap().as_str(), "https://example.org/d");
        assert_eq!(redirect_target(&from, "//other.example/x").unwrap().as_str(), "https://other.example/x");
        assert!(matches!(redirect_target(&from, "http://example.org/"), Err(FetchError::Downgrade(_))));
        assert!(matches!(redirect_target(&from, "file:///etc/passwd"), Err(FetchError::SchemeNotAllowed(_))));
        assert_eq!(redirect_target(&from, "https://a:b@example.org/"), Err(FetchError::CredentialsNotAllowed));
        let plain = Url::parse("http://example.org/").unwrap();
        assert_eq!(redirect_target(&plain, "https://example.org/").unwrap().scheme(), "https");
    }
}
