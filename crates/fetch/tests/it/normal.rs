//! Addresses made of anything.

use ibid_fetch::{FetchRules, Fetcher, normal_url};
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_normal_address_is_its_own_normal_form(text in "(https?://)?[a-zA-Z0-9.@:\\[\\]%/?&=#_ äß漢-]{0,60}") {
        if let Ok(normal) = normal_url(&text) {
            prop_assert!(normal.fragment().is_none());
            prop_assert_eq!(normal_url(normal.as_str()).unwrap(), normal);
        }
    }

    #[test]
    fn an_address_of_four_small_numbers_is_never_fetched_from_a_private_network(
        first in prop::sample::select(vec![0_u8, 10, 127]),
        rest in any::<[u8; 3]>(),
        spelling in 0..4,
    ) {
        let [b, c, d] = rest;
        let number = u32::from_be_bytes([first, b, c, d]);
        let host = match spelling {
            0 => format!("{first}.{b}.{c}.{d}"),
            1 => number.to_string(),
            2 => format!("0x{number:x}"),
            _ => format!("[::ffff:{:x}:{:x}]", number >> 16, number & 0xffff),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        thread_local! {
            static FETCHER: Fetcher = Fetcher::new(FetchRules {
                per_host_interval: std::time::Duration::ZERO,
                ..FetchRules::default()
            })
            .unwrap();
        }
        let fetcher = FETCHER.with(Clone::clone);
        let found = runtime.block_on(fetcher.fetch(&format!("http://{host}/"), None));
        prop_assert!(matches!(found, Err(ibid_fetch::FetchError::AddressNotAllowed(_))), "{host}: {found:?}");
    }
}
