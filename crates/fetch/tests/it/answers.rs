//! Good answers, bad answers, and answers that never end.

use std::{
    io::Write as _,
    time::{Duration, Instant},
};

use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
use ibid_fetch::{FetchError, FetchRules, Validators};

use crate::server::{Act, Server, answer, page};

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

#[tokio::test]
async fn a_page_comes_with_what_the_server_says_of_it() {
    let server = Server::start(|path| match path {
        "/file" => answer(
            "200 OK",
            "Content-Type: application/pdf\r\nContent-Disposition: attachment; filename=\"../a.pdf\"; filename*=UTF-8''%C3%A4.pdf\r\n",
            b"%PDF",
        ),
        "/bare" => answer("200 OK", "", b"bare"),
        "/empty" => answer("204 No Content", "", b""),
        _ => answer("200 OK", "Content-Type: text/html; charset=latin1\r\nETag: \"v1\"\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", b"<p>"),
    })
    .await;
    let fetcher = server.fetcher(server.rules());
    let asked = server.url("/page?q=1#part");
    let found = fetcher.fetch(&asked, None).await.unwrap();
    assert_eq!(found.requested_url, asked);
    assert_eq!(found.final_url, server.url("/page?q=1"));
    assert_eq!((found.status, found.not_modified), (200, false));
    assert_eq!(found.media_type.as_deref(), Some("text/html; charset=latin1"));
    assert_eq!(found.filename, None);
    assert_eq!(found.bytes, "<p>");
    assert_eq!(found.validators.etag.as_deref(), Some("\"v1\""));
    assert_eq!(found.validators.last_modified.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));

    assert_eq!(fetcher.fetch(&server.url("/file"), None).await.unwrap().filename.as_deref(), Some("ä.pdf"));
    assert_eq!(fetcher.fetch(&server.url("/bare"), None).await.unwrap().media_type, None);
    assert!(fetcher.fetch(&server.url("/empty"), None).await.unwrap().bytes.is_empty());

    let head = server.heads().remove(0).to_lowercase();
    assert!(head.starts_with("get /page?q=1 http/1.1\r\n"), "{head}");
    assert!(head.contains(&format!("host: public.example:{}\r\n", server.address.port())), "{head}");
    assert!(head.contains("user-agent: mozilla/5.0 (compatible; ibid/"), "{head}");
    assert!(!head.contains("cookie") && !head.contains("referer") && !head.contains("authorization"), "{head}");
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let server = Server::start(|_| Act::Send(b"HTTP/1.1 304 Not Modified\r\nETag: \"v2\"\r\n\r\n".to_vec())).await;
    let fetcher = server.fetcher(server.rules());
    let known = Validators { etag: Some("\"v1\"".to_owned()), last_modified: Some("then".to_owned()) };
    let found = fetcher.fetch(&server.url("/"), Some(&known)).await.unwrap();
    assert!(found.not_modified && found.bytes.is_empty());
    assert_eq!(
        found.validators,
        Validators { etag: Some("\"v2\"".to_owned()), last_modified: Some("then".to_owned()) }
    );
    let head = server.heads().remove(0).to_lowercase();
    assert!(head.contains("if-none-match: \"v1\"") && head.contains("if-modified-since: then"), "{head}");
    // Nobody asked, so that it is no answer.
    assert_eq!(fetcher.fetch(&server.url("/"), None).await, Err(FetchError::Status(304)));
    // What cannot be a header is not sent.
    let odd = Validators { etag: Some("\"a\r\nX: y\"".to_owned()), last_modified: None };
    assert!(fetcher.fetch(&server.url("/"), Some(&odd)).await.is_ok());
    assert!(!server.heads().pop().unwrap().contains("X: y"));
}

#[tokio::test]
async fn a_status_that_is_no_page_is_an_error() {
    let server = Server::start(|path| match path {
        "/slow-down" => answer("429 Too Many Requests", "Retry-After: 7\r\n", b""),
        "/silent" => answer("429 Too Many Requests", "", b""),
        "/later" => answer(
            "503 Service Unavailable",
            "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n",
            b"",
        ),
        "/down" => answer("503 Service Unavailable", "", b""),
        _ => answer("404 Not Found", "", b"no"),
    })
    .await;
    let fetcher = server.fetcher(server.rules());
    let wait = |seconds: u64| FetchError::RateLimited { retry_after: Some(Duration::from_secs(seconds)) };
    for (path, expected, transient) in [
        ("/slow-down", wait(7), true),
        ("/silent", FetchError::RateLimited { retry_after: None }, true),
        ("/later", wait(60), true),
        ("/down", FetchError::Status(503), true),
        ("/gone", FetchError::Status(404), false),
    ] {
        let found = fetcher.fetch(&server.url(path), None).await.unwrap_err();
        assert_eq!((found.is_transient(), found), (transient, expected), "{path}");
    }
}

#[tokio::test]
async fn a_packed_page_is_unpacked_up_to_the_limit() {
    let server = Server::start(|path| match path {
        "/gzip" => answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"hello")),
        "/deflate" => {
            let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
            packed.write_all(b"hello").unwrap();
            answer("200 OK", "Content-Encoding: deflate\r\n", &packed.finish().unwrap())
        }
        "/bomb" => answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(&vec![0; 64 * 1024 * 1024])),
        "/cut" => answer("200 OK", "Content-Encoding: gzip\r\n", &gzip(b"hello hello hello")[..15]),
        "/lie" => answer("200 OK", "Content-Encoding: gzip\r\n", b"not packed at all"),
        "/twice" => answer("200 OK", "Content-Encoding: gzip, gzip\r\n", &gzip(&gzip(&vec![0; 64 * 1024 * 1024]))),
        _ => answer("200 OK", "Content-Encoding: br\r\n", b"\x0b\x02\x80hello\x03"),
    })
    .await;
    let fetcher = server.fetcher(FetchRules { max_bytes: 1024 * 1024, ..server.rules() });
    let fetch = async |path: &str| fetcher.fetch(&server.url(path), None).await;
    assert_eq!(fetch("/gzip").await.unwrap().bytes, "hello");
    assert_eq!(fetch("/deflate").await.unwrap().bytes, "hello");
    assert_eq!(fetch("/bomb").await, Err(FetchError::TooLarge(1024 * 1024)));
    for path in ["/cut", "/lie", "/twice", "/br"] {
        let found = fetch(path).await;
        assert!(matches!(found, Err(FetchError::Damaged(_) | FetchError::Interrupted(_))), "{path}: {found:?}");
    }
}

#[tokio::test]
async fn a_body_ends_at_the_limit_whatever_its_length_claims() {
    let server = Server::start(|path| match path {
        "/claims" => Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nx".to_vec()),
        "/endless" => Act::Repeat(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), vec![b'x'; 60_000], Duration::ZERO),
        "/chunked" => {
            let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000)).into_bytes();
            Act::Repeat(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec(), chunk, Duration::ZERO)
        }
        "/short" => Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this".to_vec()),
        "/more" => Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nthis and more".to_vec()),
        "/cut" => Act::Send(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel".to_vec()),
        "/headless" => Act::Send(b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec()),
        "/nothing" => Act::Send(Vec::new()),
        "/ssh" => Act::Send(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()),
        "/headers" => Act::Repeat(
            b"HTTP/1.1 200 OK\r\n".to_vec(),
            format!("X-Filler: {}\r\n", "a".repeat(9000)).into_bytes(),
            Duration::ZERO,
        ),
        _ => page(&"x".repeat(1000)),
    })
    .await;
    let fetcher = server.fetcher(FetchRules { max_bytes: 1000, ..server.rules() });
    let fetch = async |path: &str| fetcher.fetch(&server.url(path), None).await;
    for path in ["/claims", "/endless", "/chunked"] {
        assert_eq!(fetch(path).await, Err(FetchError::TooLarge(1000)), "{path}");
    }
    assert_eq!(fetch("/exact").await.unwrap().bytes.len(), 1000);
    assert_eq!(fetch("/more").await.unwrap().bytes, "this");
    for path in ["/short", "/cut", "/headless", "/nothing", "/ssh", "/headers"] {
        let found = fetch(path).await;
        assert!(matches!(&found, Err(FetchError::Interrupted(_))), "{path}: {found:?}");
        assert!(found.unwrap_err().is_transient());
    }
}

#[tokio::test]
async fn a_slow_server_is_left_in_time() {
    let server = Server::start(|path| match path {
        "/silent" => Act::Wait,
        "/headers" => Act::Repeat(b"HTTP/1.1 200 OK\r\n".to_vec(), b"X: y\r\n".to_vec(), Duration::from_millis(50)),
        "/body" => Act::Repeat(b"HTTP/1.1 200 OK\r\n\r\n".to_vec(), b"x".to_vec(), Duration::from_millis(50)),
        path => {
            // Each redirect comes in time, all together do not.
            std::thread::sleep(Duration::from_millis(150));
            crate::server::redirect(&format!("{path}x"))
        }
    })
    .await;
    let limit = Duration::from_millis(400);
    let fetcher = server.fetcher(FetchRules { total_timeout: limit, ..server.rules() });
    for path in ["/silent", "/headers", "/body", "/redirects"] {
        let began = Instant::now();
        let found = fetcher.fetch(&server.url(path), None).await;
        assert_eq!(found, Err(FetchError::TimedOut(limit)), "{path}");
        assert!(began.elapsed() < Duration::from_secs(5), "{path}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_unreachable() {
    let server = Server::start(|_| page("")).await;
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut rules = FetchRules { connect_timeout: Duration::from_millis(300), ..server.rules() };
    rules.allow.push(ibid_fetch::AllowedNetwork::single_address(free));
    let fetcher = server.fetcher(rules);
    let found = fetcher.fetch(&format!("http://{free}/"), None).await.unwrap_err();
    assert!(matches!(found, FetchError::Unreachable(_)) && found.is_transient(), "{found:?}");
    // A server that takes the connection and never makes it secure.
    let found = fetcher.fetch(&server.url("/").replace("http:", "https:"), None).await.unwrap_err();
    assert!(matches!(found, FetchError::TimedOut(_) | FetchError::NotInstalled(_)), "{found:?}");
}
