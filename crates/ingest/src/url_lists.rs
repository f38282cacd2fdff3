//! Lists of addresses: one on each line, or a sitemap.

use quick_xml::{Reader, events::Event};

/// Addresses read from a text file or a sitemap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlList {
    /// The pages in order, each once.
    pub pages: Vec<String>,
    /// Further sitemaps that a sitemap points to.
    pub sitemaps: Vec<String>,
    /// The lines that are no address, from 1, where the list has lines; at most 1,000.
    pub unread_lines: Vec<usize>,
}

/// Reason why a list of addresses could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlListError {
    /// The text is XML, but not a sitemap; the detail says why.
    #[error("the file is not a sitemap: {0}")]
    NotASitemap(String),
    /// The list has more addresses than [`MOST`].
    #[error("the list has more than {MOST} addresses; split it into several")]
    TooMany,
}

/// The most addresses of one list; twice what a sitemap may have.
pub const MOST: usize = 100_000;

/// The longest address, in bytes.
const LONGEST: usize = 8 * 1024;

/// Reads a list of addresses or a sitemap, whichever the text is.
pub fn parse_url_list(text: &str) -> Result<UrlList, UrlListError> {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with("<?xml")
        || text.starts_with("<!")
        || text.starts_with("<urlset")
        || text.starts_with("<sitemap")
    {
        parse_sitemap(text)
    } else {
        parse_lines(text)
    }
}

/// One address on each line. What follows a `#` at the beginning or after a space is a comment; so is what follows the
/// address.
pub fn parse_lines(text: &str) -> Result<UrlList, UrlListError> {
    let mut found = UrlCollector::default();
    for (at, line) in text.lines().enumerate() {
        let line = line
            .trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '*' | '•' | '<' | '\u{feff}' | '"'));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let word = line.split(char::is_whitespace).next().unwrap_or(line).trim_end_matches(['>', '"', ',', ';']);
        if is_address(word) {
            found.add_page(word)?;
        } else if found.listed.unread_lines.len() < 1000 {
            found.listed.unread_lines.push(at + 1);
        }
    }
    Ok(found.listed)
}

/// A sitemap (`urlset`) or a list of sitemaps (`sitemapindex`). No entity is expanded but those of XML itself.
pub fn parse_sitemap(text: &str) -> Result<UrlList, UrlListError> {
    let mut found = UrlCollector::default();
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut root = false;
    // The element that a `loc` belongs to, and the address read so far.
    let mut parent = LocParent::Other;
    let mut address: Option<String> = None;
    loop {
        let event = reader.read_event().map_err(|error| UrlListError::NotASitemap(error.to_string()))?;
        match event {
            Event::Start(start) => match start.local_name().as_ref() {
                b"urlset" | b"sitemapindex" => root = true,
                b"url" => parent = LocParent::Url,
                b"sitemap" => parent = LocParent::Sitemap,
                // An image's or video's own address stands in an element of its own within the page's.
                b"loc" if start.name().prefix().is_none() || parent != LocParent::Other => {
                    address = Some(String::new())
                }
                b"image" | b"video" | b"news" => parent = LocParent::Other,
                _ => {}
            },
            Event::Text(words) => push(&mut address, words.as_ref()),
            Event::CData(words) => push(&mut address, words.as_ref()),
            Event::GeneralRef(name) => {
                let c = match &name[..] {
                    b"amp" => Some('&'),
                    b"lt" => Some('<'),
                    b"gt" => Some('>'),
                    b"quot" => Some('"'),
                    b"apos" => Some('\''),
                    _ => name.resolve_char_ref().ok().flatten(),
                };
                if let (Some(address), Some(c)) = (&mut address, c) {
                    address.push(c);
                }
            }
            Event::End(end) if end.local_name().as_ref() == b"loc" => {
                let Some(address) = address.take() else { continue };
                let address = address.trim();
                match parent {
                    _ if !is_address(address) => {}
                    LocParent::Url => found.add_page(address)?,
                    LocParent::Sitemap if found.listed.sitemaps.len() >= MOST => return Err(UrlListError::TooMany),
                    LocParent::Sitemap => found.listed.sitemaps.push(address.to_owned()),
                    LocParent::Other => {}
                }
            }
            Event::End(end) if matches!(end.local_name().as_ref(), b"url" | b"sitemap") => parent = LocParent::Other,
            Event::Eof => break,
            _ => {}
        }
    }
    if !root {
        return Err(UrlListError::NotASitemap("it has neither a urlset nor a sitemapindex".to_owned()));
    }
    Ok(found.listed)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LocParent {
    Url,
    Sitemap,
    Other,
}

fn push(address: &mut Option<String>, words: &[u8]) {
    if let (Some(address), Ok(words)) = (address, std::str::from_utf8(words))
        && address.len() + words.len() <= LONGEST
    {
        address.push_str(words);
    }
}

fn is_address(word: &str) -> bool {
    let scheme = word.get(..8).unwrap_or(word).to_ascii_lowercase();
    let rest = if scheme.starts_with("https://") { 8 } else { 7 };
    (scheme.starts_with("http://") || rest == 8)
        && word.len() > rest
        && word.len() <= LONGEST
        && !word.contains(|c: char| c.is_whitespace() || c.is_control())
}

#[derive(Default)]
struct UrlCollector {
    listed: UrlList,
    known: std::collections::HashSet<String>,
}

impl UrlCollector {
    fn add_page(&mut self, address: &str) -> Result<(), UrlListError> {
        if !self.known.contains(address) {
            if self.listed.pages.len() >= MOST {
                return Err(UrlListError::TooMany);
            }
            self.known.insert(address.to_owned());
            self.listed.pages.push(address.to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_one_address_on_each_line() {
        let listed = parse_url_list(
            "\u{feff}# Sample list\r\nhttps://example.org/a\r\n\r\n  - HTTP://example.org/b#part # why\n<https://example.org/c>\n\
             https://example.org/a\nnot an address\nftp://example.org\nhttps://",
        );
        let listed = listed.unwrap();
        assert_eq!(listed.pages, ["https://example.org/a", "HTTP://example.org/b#part", "https://example.org/c"]);
        assert_eq!(listed.unread_lines, [7, 8, 9]);
    }

    #[test]
    fn a_sitemap_names_pages_and_not_their_pictures() {
        let listed = parse_url_list(
            r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE urlset [<!ENTITY big "bigbig">]>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.org/?a=1&amp;b=2 </loc><lastmod>2024-05-01</lastmod>
    <image:image><image:loc>https://example.org/picture.png</image:loc></image:image></url>
  <url><loc><![CDATA[https://example.org/c]]></loc></url>
  <url><loc>https://example.org/&big;&#x41;</loc></url>
  <url><loc>javascript:alert(1)</loc></url>
</urlset>"#,
        )
        .unwrap();
        assert_eq!(listed.pages, ["https://example.org/?a=1&b=2", "https://example.org/c", "https://example.org/A"]);
        assert!(listed.sitemaps.is_empty());
        let index = "<sitemapindex><sitemap><loc>https://example.org/s1.xml</loc></sitemap></sitemapindex>";
        assert_eq!(parse_url_list(index).unwrap().sitemaps, ["https://example.org/s1.xml"]);
    }

    #[test]
    fn other_xml_is_no_sitemap() {
        for text in ["<?xml version='1.0'?><rss></rss>", "<!doctype html><html></html>", "<urlset", "<?xml"] {
            assert!(matches!(parse_url_list(text), Err(UrlListError::NotASitemap(_))), "{text}");
        }
    }
}
