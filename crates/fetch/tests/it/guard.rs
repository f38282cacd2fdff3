//! What must never be reached is never reached.

use std::sync::{Arc, atomic::Ordering};

use ibid_fetch::{FetchError, Fetcher};

use crate::server::{Names, Server, page, redirect};

/// A server that the rules allow, and one on the same machine that they do not.
async fn two(path: impl Fn(&str, u16) -> crate::server::Act + Send + Sync + 'static) -> (Server, Server) {
    let private = Server::start(|_| page("secret")).await;
    let port = private.address.port();
    let public = Server::start(move |asked| path(asked, port)).await;
    (public, private)
}

#[tokio::test]
async fn an_address_is_refused_in_every_spelling() {
    let (public, private) = two(|_, _| page("public")).await;
    let fetcher = public.fetcher(public.rules());
    let port = private.address.port();
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "0x7f.1",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "0177.0.0.01",
        "127.0.0.1.",
        "１２７.0.0.1",
        "①②⑦.0.0.1",
        "%31%32%37.0.0.1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[64:ff9b::127.0.0.1]",
        "[2002:7f00:1::]",
        "[2001:0:7f00:1:8000:63bf:80ff:fffe]",
        "0",
        "0.0.0.0",
        "[::]",
        "10.0.0.1",
        "172.16.5.5",
        "192.168.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "localhost",
        "LOCALHOST",
        "localhost.",
        "some.localhost",
        "ｌocalhost",
    ] {
        let found = fetcher.fetch(&format!("http://{host}:{port}/"), None).await;
        assert!(matches!(found, Err(FetchError::AddressNotAllowed(_))), "{host}: {found:?}");
        let found = fetcher.fetch(&format!("http://{host}/"), None).await;
        assert!(matches!(found, Err(FetchError::AddressNotAllowed(_))), "{host}: {found:?}");
    }
    assert_eq!(private.connections(), 0);
    assert_eq!(public.connections(), 0);
    // The same address is fine where the rules name it with its port.
    let allowed = format!("http://127.1:{}/", public.address.port());
    assert_eq!(fetcher.fetch(&allowed, None).await.unwrap().bytes, "public");
}

#[tokio::test]
async fn a_name_is_refused_unless_an_address_is_left() {
    let (public, private) = two(|_, _| page("public")).await;
    let names = Names::new([
        ("inside.example", "10.0.0.1 fd00::1 169.254.169.254"),
        ("same.example", "127.0.0.1"),
        ("mixed.example", "10.255.255.1 fd00::1 127.0.0.1"),
        ("empty.example", ""),
    ]);
    let fetcher = Fetcher::with_resolver(public.rules(), Arc::new(names)).unwrap();
    let (open, closed) = (public.address.port(), private.address.port());
    for (host, port) in
        [("inside.example", open), ("inside.example", closed), ("same.example", closed), ("mixed.example", closed)]
    {
        let found = fetcher.fetch(&format!("http://{host}:{port}/"), None).await;
        assert!(matches!(found, Err(FetchError::AddressNotAllowed(_))), "{host}:{port}: {found:?}");
        let sentence = found.unwrap_err().to_string();
        assert!(sentence.contains(host) && !sentence.contains("10.0.0.1"), "{sentence}");
    }
    for host in ["same.example", "mixed.example"] {
        assert_eq!(fetcher.fetch(&format!("http://{host}:{open}/"), None).await.unwrap().bytes, "public");
    }
    for host in ["empty.example", "nowhere.example"] {
        let found = fetcher.fetch(&format!("http://{host}:{open}/"), None).await;
        assert!(matches!(found, Err(FetchError::NotResolved { temporary: false, .. })), "{host}: {found:?}");
    }
    assert_eq!(private.connections(), 0);
}

#[tokio::test]
async fn a_name_that_changes_its_address_gains_nothing() {
    let (public, private) = two(|_, _| page("public")).await;
    let names = Arc::new(Names::new([("moving.example", "127.0.0.1|127.0.0.2 10.0.0.1")]));
    let fetcher = Fetcher::with_resolver(public.rules(), Arc::clone(&names) as _).unwrap();
    let url = format!("http://moving.example:{}/", public.address.port());
    assert_eq!(fetcher.fetch(&url, None).await.unwrap().bytes, "public");
    // One question for one connection: what was checked is what was connected to.
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    let found = fetcher.fetch(&url, None).await;
    assert!(matches!(found, Err(FetchError::AddressNotAllowed(_))), "{found:?}");
    assert_eq!(private.connections(), 0);
}

#[tokio::test]
async fn a_redirect_is_checked_like_an_address() {
    let (public, private) = two(|path, private| match path {
        "/literal" => redirect(&format!("http://127.0.0.1:{private}/")),
        "/hex" => redirect(&format!("//0x7f.1:{private}/")),
        "/name" => redirect(&format!("http://public.example:{private}/")),
        "/metadata" => redirect("http://169.254.169.254/latest/meta-data/"),
        "/mapped" => redirect("http://[::ffff:169.254.169.254]/"),
        "/localhost" => redirect(&format!("http://localhost:{private}/")),
        "/file" => redirect("file:///etc/passwd"),
        "/data" => redirect("data:text/html,x"),
        "/ftp" => redirect("ftp://public.example/"),
        "/password" => redirect("http://me:secret@public.example/"),
        "/mail" => redirect("http://public.example:25/"),
        "/broken" => redirect("http://[::1"),
        "/loop" => redirect("/loop"),
        "/a" => redirect("b?x=1#part"),
        "/b?x=1" => page("arrived"),
        "/nowhere" => crate::server::answer("302 Found", "", b""),
        "/hops/5" => page("five"),
        path => {
            let hop: usize = path.rsplit('/').next().unwrap().parse().unwrap();
            redirect(&format!("/hops/{}", hop + 1))
        }
    })
    .await;
    let fetcher = public.fetcher(public.rules());
    let fetch = async |path: &str| fetcher.fetch(&public.url(path), None).await;
    for path in ["/literal", "/hex", "/name", "/metadata", "/mapped", "/localhost"] {
        let found = fetch(path).await;
        assert!(matches!(found, Err(FetchError::AddressNotAllowed(_))), "{path}: {found:?}");
    }
    for path in ["/file", "/data", "/ftp"] {
        let found = fetch(path).await;
        assert!(matches!(found, Err(FetchError::SchemeNotAllowed(_))), "{path}: {found:?}");
    }
    assert_eq!(fetch("/password").await, Err(FetchError::CredentialsNotAllowed));
    assert_eq!(fetch("/mail").await, Err(FetchError::PortNotAllowed(25)));
    assert!(matches!(fetch("/broken").await, Err(FetchError::InvalidUrl(_))));
    assert_eq!(fetch("/loop").await, Err(FetchError::TooManyRedirects(5)));
    assert_eq!(fetch("/nowhere").await, Err(FetchError::Status(302)));
    let arrived = fetch("/a").await.unwrap();
    assert_eq!((arrived.requested_url, arrived.final_url), (public.url("/a"), public.url("/b?x=1")));
    assert_eq!(fetch("/hops/0").await.unwrap().bytes, "five");
    assert_eq!(private.connections(), 0);
    assert!(public.heads().iter().all(|head| !head.to_lowercase().contains("referer") && !head.contains("secret")));
}

#[tokio::test]
async fn what_is_no_page_is_refused_before_anything_is_sent() {
    let public = Server::start(|_| page("public")).await;
    let fetcher = public.fetcher(public.rules());
    assert_eq!(fetcher.fetch("http://public.example:22/", None).await, Err(FetchError::PortNotAllowed(22)));
    assert_eq!(fetcher.fetch("http://public.example:6667/", None).await, Err(FetchError::PortNotAllowed(6667)));
    let with_password = public.url("/").replace("public", "me:pw@public");
    assert_eq!(fetcher.fetch(&with_password, None).await, Err(FetchError::CredentialsNotAllowed));
    assert!(matches!(fetcher.fetch("not an address", None).await, Err(FetchError::InvalidUrl(_))));
    assert_eq!(public.connections(), 0);
}
