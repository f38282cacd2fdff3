//! Addresses of pages: which are the same.

use url::Url;

/// Brings an address into the form under which a page is known once, however it was linked: host in lower case and
/// without dots at its end, no default port, no fragment, none of the parameters that only say who sent the reader. The
/// other parameters keep their order and spelling, because a server may care.
pub fn normalize_url(url: &mut Url) {
    url.set_fragment(None);
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_end_matches('.');
    if !bare.is_empty() && bare.len() < host.len() {
        let bare = bare.to_owned();
        // A host without the dots at its end is a host.
        let _ = url.set_host(Some(&bare));
    }
    if let Some(query) = url.query() {
        let kept: Vec<&str> = query.split('&').filter(|pair| !pair.is_empty() && !is_tracking(pair)).collect();
        let kept = (!kept.is_empty()).then(|| kept.join("&"));
        url.set_query(kept.as_deref());
    }
}

/// Parameters that shops, newsletters and networks add to follow a reader.
const TRACKING: &[&str] = &[
    "_branch_match_id",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_openstat",
    "at_campaign",
    "at_medium",
    "cmpid",
    "dclid",
    "dm_i",
    "epik",
    "fbclid",
    "gad_campaignid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "hsctatracking",
    "igsh",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "ml_subscriber",
    "ml_subscriber_hash",
    "oly_anon_id",
    "oly_enc_id",
    "rb_clickid",
    "ref_src",
    "ref_url",
    "s_cid",
    "s_kwcid",
    "sc_cid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "wickedid",
    "yclid",
    "ysclid",
];

/// Prefixes that whole families of tracking parameters share.
const TRACKING_FAMILIES: &[&str] = &["utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "__hs"];

fn is_tracking(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or(pair).to_ascii_lowercase();
    TRACKING.contains(&name.as_str()) || TRACKING_FAMILIES.iter().any(|family| name.starts_with(family))
}
