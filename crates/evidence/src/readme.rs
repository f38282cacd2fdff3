//! The page for a person who opens the zip file.

use ibid_domain::text::single_line;

use crate::{
    manifest::{BundleManifest, CITATIONS, MANIFEST, SUMS},
    record::CitationRecord,
};

/// Returns the content of `README.txt`, a summary for people.
pub(crate) fn readme_text(manifest: &BundleManifest, citations: &[CitationRecord]) -> String {
    let (kind, id, tool) = (manifest.kind.as_str(), single_line(&manifest.id, 255), single_line(&manifest.tool, 255));
    let (content, message) = (manifest.content_path(), manifest.message_path());
    let mut page = format!(
        "EVIDENCE OF {upper} {id}\n\
         \n\
         Made by {tool} on {created}.\n\
         \n\
         This archive holds a {kind}, its citations, and what they cite, exactly as they\n\
         were. It can be checked on any machine, without the library it came from.\n\
         \n\
         {content:<20} the text\n\
         {message:<20} what is known of it, and of the run that made it\n\
         {CITATIONS:<20} each citation: where it stands, the words it rests on,\n\
         {empty:<20} and where in which text they stand\n\
         annotations.jsonld   the same as Web Annotations (W3C)\n\
         provenance.jsonld    what came from what (PROV-O)\n\
         artifacts/           the cited files, named by their SHA-256\n\
         texts/               their texts, which the quotes are of, named by their SHA-256\n\
         {MANIFEST:<20} every file with its SHA-256; its own is the digest of all\n\
         \n\
         TO CHECK IT\n\
         \n\
         ibid verify FILE.zip checks every byte, place and quote, and names the file of\n\
         whatever is wrong. By hand, after unpacking:\n\
         \n\
         \x20   sha256sum -c {SUMS}\n\
         \x20   sha256sum {MANIFEST}\n\
         \n\
         The last is the digest. Compare it with the one you were given: who can change\n\
         all files can change their hashes too.\n\
         \n\
         Places (start_char, end_char) count Unicode characters from 0, end not included.\n",
        upper = kind.to_uppercase(),
        created = manifest.created_at,
        empty = "",
    );
    let mut shown = std::collections::BTreeMap::new();
    for citation in citations {
        shown.entry(citation.number).or_insert(citation);
    }
    if !shown.is_empty() {
        page.push_str("\nCITED\n\n");
    }
    for (number, citation) in shown {
        let file = citation.content_sha256.and_then(|content| manifest.artifact_file(content));
        let text = citation.text_sha256.and_then(|text| manifest.text_file(text));
        let path = file.or(text).unwrap_or("not in this archive");
        page.push_str(&format!("[{number}] {}\n    {path}\n", single_line(&citation.title, 200)));
    }
    page
}
