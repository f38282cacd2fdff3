//! What the bytes are. Names and announced types are hints: they decide only between kinds that the bytes allow.

use std::io::Cursor;

use crate::{ExtractionInput, formats};

/// The kinds of files told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// PDF document of any version.
    Pdf,
    /// Word document, 2007 or later.
    Docx,
    /// PowerPoint presentation, 2007 or later.
    Pptx,
    /// Excel workbook, 2007 or later.
    Xlsx,
    /// OpenDocument text document.
    Odt,
    /// OpenDocument presentation, `.odp`.
    Odp,
    /// OpenDocument spreadsheet, `.ods`.
    Ods,
    /// OpenDocument in one XML file.
    FlatOdf,
    /// Electronic book in the EPUB format.
    Epub,
    /// Excel workbook up to version 2003.
    Xls,
    /// Word document up to version 2003.
    Doc,
    /// PowerPoint presentation up to version 2003.
    Ppt,
    /// A message saved by Outlook.
    Msg,
    /// Document in Rich Text Format.
    Rtf,
    /// Single mail message in MIME format.
    Eml,
    /// Mail messages, one after the other.
    Mbox,
    /// HTML document, such as a web page.
    Html,
    /// XML of an unknown vocabulary.
    Xml,
    /// A vector image, which may hold text.
    Svg,
    /// Text file with Markdown markup.
    Markdown,
    /// A table with this separator.
    Csv(u8),
    /// JSON document, or one JSON value on each line.
    Json,
    /// Text of no other known kind.
    Text,
    /// Raster image, with its media type.
    Image(&'static str),
    /// An Office file behind a password.
    EncryptedOffice,
    /// Anything else, by its media type.
    Other(&'static str),
}

impl FileKind {
    /// The media type of such files.
    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            Self::Pptx => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            Self::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            Self::Odt | Self::FlatOdf => "application/vnd.oasis.opendocument.text",
            Self::Odp => "application/vnd.oasis.opendocument.presentation",
            Self::Ods => "application/vnd.oasis.opendocument.spreadsheet",
            Self::Epub => "application/epub+zip",
            Self::Xls => "application/vnd.ms-excel",
            Self::Doc => "application/msword",
            Self::Ppt => "application/vnd.ms-powerpoint",
            Self::Msg => "application/vnd.ms-outlook",
            Self::Rtf => "application/rtf",
            Self::Eml => "message/rfc822",
            Self::Mbox => "application/mbox",
            Self::Html => "text/html",
            Self::Xml => "application/xml",
            Self::Svg => "image/svg+xml",
            Self::Markdown => "text/markdown",
            Self::Csv(b'\t') => "text/tab-separated-values",
            Self::Csv(_) => "text/csv",
            Self::Json => "application/json",
            Self::Text => "text/plain",
            Self::Image(media_type) | Self::Other(media_type) => media_type,
            Self::EncryptedOffice => "application/x-ole-storage",
        }
    }
}

/// Number of bytes at the start of a file used to detect its kind.
const HEAD: usize = 64 * 1024;

/// Detects the kind of a file from its bytes; name and media type are only hints.
pub fn detect_kind(input: &ExtractionInput) -> FileKind {
    let bytes = input.bytes;
    if let Some(kind) = by_magic(bytes) {
        return kind;
    }
    // Some PDFs have something before their first line; readers search for it in the first kilobyte.
    if bytes[..bytes.len().min(1024)].windows(5).any(|window| window == b"%PDF-") {
        return FileKind::Pdf;
    }
    let head = formats::decode_head(&bytes[..bytes.len().min(HEAD)]);
    match head {
        Some(head) => by_text(head.trim_start_matches('\u{feff}'), input),
        None => FileKind::Other("application/octet-stream"),
    }
}

fn by_magic(bytes: &[u8]) -> Option<FileKind> {
    Some(match bytes {
        [b'%', b'P', b'D', b'F', b'-', ..] => FileKind::Pdf,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 0x30, 0x30, b'P', b'K', ..] => {
            detect_zip_kind(bytes)
        }
        [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ..] => detect_compound_kind(bytes),
        [0x89, b'P', b'N', b'G', ..] => FileKind::Image("image/png"),
        [0xff, 0xd8, 0xff, ..] => FileKind::Image("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => FileKind::Image("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => FileKind::Image("image/webp"),
        [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => FileKind::Image("image/tiff"),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, _, _, 0, 0, ..] => FileKind::Image("image/bmp"),
        [b'{', b'\\', b'r', b't', b'f', ..] => FileKind::Rtf,
        [0x1f, 0x8b, ..] => FileKind::Other("application/gzip"),
        [b'7', b'z', 0xbc, 0xaf, ..] => FileKind::Other("application/x-7z-compressed"),
        [b'R', b'a', b'r', b'!', ..] => FileKind::Other("application/vnd.rar"),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => FileKind::Other("application/x-xz"),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => FileKind::Other("application/zstd"),
        [0x7f, b'E', b'L', b'F', ..] => FileKind::Other("application/x-elf"),
        [b'O', b'g', b'g', b'S', ..] => FileKind::Other("application/ogg"),
        [b'I', b'D', b'3', ..] => FileKind::Other("audio/mpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => FileKind::Other("audio/wav"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => FileKind::Other("video/mp4"),
        [b'S', b'Q', b'L', b'i', b't', b'e', b' ', b'f', ..] => FileKind::Other("application/vnd.sqlite3"),
        _ => return None,
    })
}

fn detect_zip_kind(bytes: &[u8]) -> FileKind {
    // OpenDocument and EPUB say what they are in a first, stored entry.
    if bytes.get(30..38) == Some(b"mimetype") {
        let said = &bytes[38..bytes.len().min(38 + 100)];
        let says = |media_type: &[u8]| said.windows(media_type.len()).any(|window| window == media_type);
        if says(b"application/epub+zip") {
            return FileKind::Epub;
        }
        for (name, kind) in
            [(&b"text"[..], FileKind::Odt), (b"spreadsheet", FileKind::Ods), (b"presentation", FileKind::Odp)]
        {
            if says(&[b"opendocument.", name].concat()) {
                return kind;
            }
        }
        if says(b"vnd.sun.xml.writer") {
            return FileKind::Odt;
        }
    }
    let names: Vec<String> = match zip::ZipArchive::new(Cursor::new(bytes)) {
        Ok(archive) => archive
            .file_names()
            .filter_map(|name| Some(name.ok()?.replace('\\', "/").trim_start_matches('/').to_ascii_lowercase()))
            .take(5000)
            .collect(),
        // Part of it is missing; the names that stand before the entries still tell what it was.
        Err(_) => local_names(bytes),
    };
    let has = |prefix: &str| names.iter().any(|name| name.starts_with(prefix));
    if has("xl/workbook.bin") {
        FileKind::Other("application/vnd.ms-excel.sheet.binary.macroenabled.12")
    } else if has("word/") {
        FileKind::Docx
    } else if has("ppt/") {
        FileKind::Pptx
    } else if has("xl/") {
        FileKind::Xlsx
    } else if has("meta-inf/container.xml") {
        FileKind::Epub
    } else if has("content.xml") {
        FileKind::Odt
    } else {
        FileKind::Other("application/zip")
    }
}

fn local_names(bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.windows(4).position(|window| window == b"PK\x03\x04"))
    {
        let header = at + found;
        let length = bytes.get(header + 26..header + 28).map_or(0, |two| u16::from_le_bytes([two[0], two[1]]) as usize);
        if let Some(name) = bytes.get(header + 30..header + 30 + length) {
            names.push(String::from_utf8_lossy(name).to_ascii_lowercase());
        }
        at = header + 4;
        if names.len() >= 1000 {
            break;
        }
    }
    names
}

fn detect_compound_kind(bytes: &[u8]) -> FileKind {
    let Ok(file) = cfb::CompoundFile::open(Cursor::new(bytes)) else {
        return FileKind::Doc;
    };
    let has = |path: &str| file.exists(path);
    if has("/EncryptedPackage") || has("/EncryptionInfo") {
        FileKind::EncryptedOffice
    } else if has("/__properties_version1.0") {
        FileKind::Msg
    } else if has("/Workbook") || has("/Book") {
        FileKind::Xls
    } else if has("/WordDocument") {
        FileKind::Doc
    } else if has("/PowerPoint Document") {
        FileKind::Ppt
    } else {
        FileKind::Other("application/x-ole-storage")
    }
}

fn by_text(head: &str, input: &ExtractionInput) -> FileKind {
    let start = head.trim_start();
    let hint = TypeHint::from_input(input);
    if start.starts_with("{\\rtf") {
        return FileKind::Rtf;
    }
    if start.starts_with('<') {
        return detect_markup_kind(start, &hint);
    }
    if is_mailbox(head) {
        return FileKind::Mbox;
    }
    if is_mail(start, hint.matches_any(&["eml", "mht", "mhtml"], &["message/rfc822", "multipart/related"])) {
        return FileKind::Eml;
    }
    if hint.matches_any(&["html", "htm", "xhtml"], &["text/html", "application/xhtml+xml"]) {
        return FileKind::Html;
    }
    if hint.matches_any(&["md", "markdown", "mdown", "mkd"], &["text/markdown", "text/x-markdown"]) {
        return FileKind::Markdown;
    }
    if hint.matches_any(&["json", "jsonl", "ndjson", "geojson"], &["application/json", "application/x-ndjson"])
        || (start.starts_with(['{', '[']) && is_json(input.bytes))
    {
        return FileKind::Json;
    }
    if hint.matches_any(&["tsv", "tab"], &["text/tab-separated-values"]) {
        return FileKind::Csv(b'\t');
    }
    if hint.matches_any(&["csv"], &["text/csv", "application/csv"]) {
        return FileKind::Csv(detect_separator(head).unwrap_or(b','));
    }
    if hint.extension.is_empty()
        && let Some(separator) = detect_separator(head)
    {
        return FileKind::Csv(separator);
    }
    FileKind::Text
}

struct TypeHint {
    extension: String,
    media_type: String,
}

impl TypeHint {
    fn from_input(input: &ExtractionInput) -> Self {
        let name = input.filename.unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
        let media_type = input.media_type.unwrap_or_default();
        let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        Self { extension, media_type }
    }

    fn matches_any(&self, extensions: &[&str], media_types: &[&str]) -> bool {
        extensions.contains(&self.extension.as_str()) || media_types.contains(&self.media_type.as_str())
    }
}

/// Elements that only HTML has, and that people begin fragments with.
const HTML_TAGS: &[&str] = &[
    "html",
    "head",
    "body",
    "title",
    "meta",
    "link",
    "script",
    "style",
    "div",
    "p",
    "h1",
    "h2",
    "h3",
    "h4",
    "table",
    "ul",
    "ol",
    "br",
    "a",
    "b",
    "i",
    "font",
    "center",
    "img",
    "span",
    "section",
    "article",
    "main",
    "header",
    "nav",
    "hr",
    "pre",
    "blockquote",
    "form",
    "iframe",
    "noscript",
    "strong",
    "em",
];

fn detect_markup_kind(start: &str, hint: &TypeHint) -> FileKind {
    let hinted_html = hint.matches_any(&["html", "htm", "xhtml"], &["text/html", "application/xhtml+xml"]);
    let mut rest = start;
    let mut declared = false;
    // Comments, declarations and the document type stand before the first element.
    for _ in 0..64 {
        rest = rest.trim_start();
        let after = if let Some(comment) = rest.strip_prefix("<!--") {
            comment.find("-->").map(|end| &comment[end + 3..])
        } else if rest.starts_with("<?") {
            declared = true;
            rest.find("?>").map(|end| &rest[end + 2..])
        } else if rest.starts_with("<!") {
            let name: String = rest.chars().take(30).collect::<String>().to_ascii_lowercase();
            if name.starts_with("<!doctype html") {
                return FileKind::Html;
            }
            if name.starts_with("<!doctype svg") {
                return FileKind::Svg;
            }
            declared = true;
            let end = match (rest.find('['), rest.find('>')) {
                (Some(subset), Some(end)) if subset < end => rest.find("]>").map(|end| end + 2),
                (_, end) => end.map(|end| end + 1),
            };
            end.map(|end| &rest[end..])
        } else {
            break;
        };
        match after {
            Some(after) => rest = after,
            None => break,
        }
    }
    let name: String = rest
        .trim_start_matches('<')
        .chars()
        .take_while(|char| char.is_alphanumeric() || matches!(char, ':' | '-' | '_' | '.'))
        .take(60)
        .collect();
    let local = name.rsplit(':').next().unwrap_or_default().to_ascii_lowercase();
    match (name.as_str(), local.as_str()) {
        ("office:document", _) => FileKind::FlatOdf,
        (_, "svg") => FileKind::Svg,
        (_, "html") => FileKind::Html,
        _ if hinted_html => FileKind::Html,
        _ if hint.matches_any(&["md", "markdown"], &["text/markdown"]) => FileKind::Markdown,
        _ if !declared && HTML_TAGS.contains(&local.as_str()) => FileKind::Html,
        _ if declared || hint.matches_any(&["xml"], &["text/xml", "application/xml"]) => FileKind::Xml,
        ("", _) => FileKind::Text,
        _ if rest.contains("</") || rest.contains("/>") => FileKind::Xml,
        _ => FileKind::Text,
    }
}

fn is_mailbox(head: &str) -> bool {
    let mut lines = head.lines();
    let Some(first) = lines.next() else { return false };
    // "From name@host Mon Jan  1 00:00:00 2024", then a header.
    first.starts_with("From ")
        && first.chars().any(|char| char.is_ascii_digit())
        && lines.next().is_some_and(|line| header_name(line).is_some())
}

fn header_name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let fits = !name.is_empty() && name.len() < 80 && name.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then_some(name)
}

/// Headers that messages have and other texts do not begin with.
const HEADERS: &[&str] = &[
    "from",
    "to",
    "cc",
    "date",
    "subject",
    "received",
    "return-path",
    "delivered-to",
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "reply-to",
    "sender",
    "x-mailer",
    "dkim-signature",
    "references",
    "in-reply-to",
    "envelope-to",
    "status",
    "x-original-to",
    "x-priority",
    "importance",
    "user-agent",
];

fn is_mail(start: &str, hinted: bool) -> bool {
    let mut known = 0;
    for line in start.lines().take(60) {
        if line.is_empty() {
            break;
        }
        if line.starts_with([' ', '\t']) {
            continue;
        }
        match header_name(line) {
            Some(name) if HEADERS.contains(&name.to_ascii_lowercase().as_str()) => known += 1,
            Some(name) if hinted || name.starts_with("X-") || name.starts_with("x-") || name.contains('-') => {}
            _ => return hinted && known > 0,
        }
    }
    known >= if hinted { 1 } else { 3 }
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// The character that separates the same number of fields on every line, if there is one.
fn detect_separator(head: &str) -> Option<u8> {
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).take(50).collect();
    // The last line may have been cut off.
    let lines = if lines.len() > 3 { &lines[..lines.len() - 1] } else { &lines[..] };
    if lines.len() < 3 {
        return None;
    }
    [b'\t', b';', b','].into_iter().find(|&separator| {
        let count = |line: &str| {
            let mut quoted = false;
            line.bytes()
                .filter(|&byte| {
                    quoted ^= byte == b'"';
                    byte == separator && !quoted
                })
                .count()
        };
        let first = count(lines[0]);
        first > 0 && lines.iter().all(|line| count(line) == first)
    })
}
