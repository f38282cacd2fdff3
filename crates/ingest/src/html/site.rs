//! Where a page belongs: its site, its icon, the address it wants to be known under.

use url::Url;

use super::{head::Head, names::folded};

/// The names a site goes by, the one to show first.
pub(crate) fn names(head: &Head<'_>, url: Option<&Url>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let name = name.trim().trim_start_matches('@');
        if !name.is_empty() && name.chars().count() <= 80 && !name.starts_with("http") {
            let known = found.iter().any(|known| folded(known) == folded(name));
            if !known {
                found.push(name.to_owned());
            }
        }
    };
    for name in
        head.metas(&["og:site_name", "og:site-name", "application-name", "al:android:app_name", "al:ios:app_name"])
    {
        add(&name);
    }
    for work in &head.works {
        if let Some(name) = &work.site {
            add(name);
        }
    }
    for name in head.metas(&[
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
    for name in head.metas(&["twitter:site", "twitter:domain"]) {
        add(&name);
    }
    if let Some(host) = url.and_then(Url::host_str) {
        let host = host.strip_prefix("www.").unwrap_or(host);
        add(host);
        let registrable = registrable(host);
        add(registrable);
        if let Some((name, _)) = registrable.split_once('.') {
            add(name);
        }
    }
    found
}

/// The name of a site to show: what it says, or its host.
pub(crate) fn shown(head: &Head<'_>, names: &[String]) -> Option<String> {
    let said = head
        .meta(&["og:site_name", "og:site-name", "application-name"])
        .map(|name| name.into_owned())
        .filter(|name| names.contains(name));
    said.or_else(|| head.works.iter().find_map(|work| work.site.clone().or_else(|| work.publisher.clone())))
        .or_else(|| names.first().cloned())
}

/// The part of a host that is registered: `example.co.uk` of `news.example.co.uk`. A host whose last two labels are
/// both short is taken to need three.
pub(crate) fn registrable(host: &str) -> &str {
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

/// What `href` means on the page, if it is an address of the web.
pub(crate) fn absolute(href: &str, base: Option<&Url>) -> Option<Url> {
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
pub(crate) fn base(head: &Head<'_>, url: Option<&Url>) -> Option<Url> {
    head.base.and_then(|base| absolute(base, url)).or_else(|| url.cloned())
}

/// The address a page wants to be known under. One on another site is taken only where the page's own is not known;
/// the front page of the site is no address of a page below it.
pub(crate) fn canonical(head: &Head<'_>, base: Option<&Url>, url: Option<&Url>) -> Option<String> {
    let linked = head.linked("canonical").map(|(href, _)| href.to_owned());
    let metas =
        head.metas(&["og:url", "twitter:url", "citation_public_url", "dc.identifier.uri"]).map(|url| url.into_owned());
    let works = head.works.iter().filter(|work| work.rank >= 3).filter_map(|work| work.url.clone());
    let candidates: Vec<Url> = linked
        .chain(metas)
        .chain(works)
        .filter_map(|href| absolute(&href, base))
        .map(|mut url| {
            url.set_fragment(None);
            url
        })
        .collect();
    let Some(url) = url else { return candidates.into_iter().next().map(String::from) };
    let own = url.host_str().map(registrable);
    candidates
        .into_iter()
        .filter(|found| found.host_str().map(registrable) == own)
        .find(|found| found.path().len() > 1 || found.query().is_some() || url.path().len() <= 1)
        .map(String::from)
}

/// The icon of the site: the one the page names, or where browsers look for one.
pub(crate) fn icon(head: &Head<'_>, base: Option<&Url>) -> Option<String> {
    let named = ["icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "fluid-icon"]
        .into_iter()
        .flat_map(|rel| head.linked(rel))
        .find_map(|(href, _)| absolute(href, base));
    named
        .or_else(|| head.meta(&["msapplication-tileimage"]).and_then(|href| absolute(&href, base)))
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
            assert_eq!(registrable(host), wanted, "{host}");
        }
    }
}
