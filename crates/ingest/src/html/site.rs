//! Where a page belongs: its site, its icon, the address it wants to be known under.

use url::Url;

use super::{head::PageHead, names::fold_name};

/// The names a site goes by, the one to show first.
pub(crate) fn site_names(head: &PageHead<'_>, url: Option<&Url>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim().trim_start_matches('@');
        if !name.is_empty() && name.chars().count() <= 80 && !name.starts_with("http") {
            let known = found.iter().any(|known| fold_name(known) == fold_name(name));
            if !known {
                found.push(name.to_owned());
            }
        }
    };
    for name in head.meta_contents(&[
        "og:site_name",
        "og:site-name",
        "application-name",
        "al:android:app_name",
        "al:ios:app_name",
    ]) {
        add(&name);
    }
    for work in &head.works {
        if let Some(name) = &work.site {
            add(name);
        }
    }
    for name in head.meta_contents(&[
        "citation_journal_title",
        "dc.publisher",
        "publisher",
        "copyright",
        "apple-mobile-web-app-title",
        "twitter:app:name:iphone",
    ]) {
        add(&name);
    }
    for work in &head.works {
        if let Some(name) = &work.publisher {
            add(name);
        }
    }
    for name in head.meta_contents(&["twitter:site", "twitter:domain"]) {
        add(&name);
    }
    if let Some(host) = url.and_then(Url::host_str) {
        let host = host.strip_prefix("www.").unwrap_or(host);
        add(host);
        let registrable = registrable_domain(host);
        add(registrable);
        if let Some((name, _)) = registrable.split_once('.') {
            add(name);
        }
    }
    found
}

/// The name of a site to show: what it says, or its host.
pub(crate) fn display_name(head: &PageHead<'_>, names: &[String]) -> Option<String> {
    let said = head
        .first_meta(&["og:site_name", "og:site-name", "application-name"])
        .map(|name| name.into_owned())
        .filter(|name| names.contains(name));
    said.or_else(|| head.works.iter().find_map(|work| work.site.clone().or_else(|| work.publisher.clone())))
        .or_else(|| names.first().cloned())
}

/// The part of a host that is registered: `example.co.uk` of `news.example.co.uk`. A host whose last two labels are
/// both short is taken to need three.
pub(crate) fn registrable_domain(host: &str) -> &str {
    let mut dots = host.rmatch_indices('.').map(|(at, _)| at);
    let (Some(last), Some(second)) = (dots.next(), dots.next()) else { return host };
    let top = &host[last + 1..];
    let below = &host[second + 1..last];
    let public =
        top.len() == 2 && (below.len() <= 2 || matches!(below, "com" | "org" | "net" | "gov" | "edu" | "gob" | "gouv"));
    if !public {
        return &host[second + 1..];
    }
    match dots.next() {
        Some(third) => &host[third + 1..],
        None => host,
    }
}

/// Resolves `href` against the base address; `None` unless the result is a web address.
pub(crate) fn resolve_url(href: &str, base: Option<&Url>) -> Option<Url> {
    let href = href.trim();
    if href.is_empty() {
        return None;
    }
    let url = match base {
        Some(base) => base.join(href).ok()?,
        None => Url::parse(href).ok()?,
    };
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// The address that relative ones on the page are relative to.
pub(crate) fn base_url(head: &PageHead<'_>, url: Option<&Url>) -> Option<Url> {
    head.base.and_then(|base| resolve_url(base, url)).or_else(|| url.cloned())
}

/// The address a page wants to be known under. One on another site is taken only where the page's own is not known;
/// the front page of the site is no address of a page below it.
pub(crate) fn canonical_url(head: &PageHead<'_>, base: Option<&Url>, url: Option<&Url>) -> Option<String> {
    let linked = head.links_with_rel("canonical").map(|(href, _)| href.to_owned());
    let metas = head
        .meta_contents(&["og:url", "twitter:url", "citation_public_url", "dc.identifier.uri"])
        .map(|url| url.into_owned());
    let works = head.works.iter().filter(|work| work.rank >= 3).filter_map(|work| work.url.clone());
    let candidates: Vec<Url> = linked
        .chain(metas)
        .chain(works)
        .filter_map(|href| resolve_url(&href, base))
        .map(|mut url| {
            url.set_fragment(None);
            url
        })
        .collect();
    let Some(url) = url else { return candidates.into_iter().next().map(String::from) };
    let own = url.host_str().map(registrable_domain);
    candidates
        .into_iter()
        .filter(|found| found.host_str().map(registrable_domain) == own)
        .find(|found| found.path().len() > 1 || found.query().is_some() || url.path().len() <= 1)
        .map(String::from)
}

/// The icon of the site: the one the page names, or where browsers look for one.
pub(crate) fn icon_url(head: &PageHead<'_>, base: Option<&Url>) -> Option<String> {
    let named = ["icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon"]
        .into_iter()
        .flat_map(|rel| head.links_with_rel(rel))
        .find_map(|(href, _)| resolve_url(href, base));
    named
        .or_else(|| head.first_meta(&["msapplication-tileimage"]).and_then(|href| resolve_url(&href, base)))
        .or_else(|| base.and_then(|base| base.join("/favicon.ico").ok()).filter(Url::has_host))
        .map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registrable_part_of_a_host_is_found() {
        for (host, wanted) in [
            ("news.example.com", "example.com"),
            ("news.example.co.uk", "example.co.uk"),
            ("example.com.au", "example.com.au"),
            ("a.b.example.org", "example.org"),
            ("localhost", "localhost"),
            ("blog.example.gouv.fr", "example.gouv.fr"),
        ] {
            assert_eq!(registrable_domain(host), wanted, "{host}");
        }
    }
}
