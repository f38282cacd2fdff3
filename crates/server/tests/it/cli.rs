//! The command line.

use std::process::{Command, Output};

use ibid_testkit::{TestEngine, TestPlace};
use serde_json::{Value as Json, json};

use crate::running::ibid;

fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json_of(place: &TestPlace, arguments: &[&str]) -> Json {
    let mut with = arguments.to_vec();
    with.push("--json");
    serde_json::from_str(&stdout(&ibid(place, &with))).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_library_without_a_server() {
    for engine in [TestEngine::Sqlite, TestEngine::Postgres] {
        let Some(place) = TestPlace::new(engine).await else { continue };
        let folder = place.folder().join("papers");
        std::fs::create_dir_all(folder.join("sub")).unwrap();
        std::fs::write(folder.join("one.txt"), "first words").unwrap();
        std::fs::write(folder.join("sub/two.md"), "second words").unwrap();
        let one = folder.join("one.txt");
        let added = json_of(&place, &["artifact", "add", one.to_str().unwrap()]);
        let sha256 = added[0]["artifact"]["sha256"].as_str().unwrap();
        assert_eq!((&added[0]["status"], &added[0]["artifact"]["media_type"]), (&json!("kept"), &json!("text/plain")));
        assert_eq!(stdout(&ibid(&place, &["artifact", "cat", sha256])), "first words");
        assert!(stdout(&ibid(&place, &["artifact", "list"])).contains("one.txt"));
        assert!(stdout(&ibid(&place, &["artifact", "show", sha256])).contains("text/plain"));

        let made = json_of(&place, &["manifest", "create", folder.to_str().unwrap(), "-m", "papers"]);
        let manifest = made["sha256"].as_str().unwrap();
        let paths: Vec<_> = made["tree"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(paths, ["one.txt", "sub/two.md"]);
        std::fs::write(folder.join("sub/two.md"), "other words").unwrap();
        let made = json_of(&place, &["manifest", "create", folder.to_str().unwrap(), "--parent", manifest]);
        let second = made["sha256"].as_str().unwrap();
        assert_eq!(json_of(&place, &["manifest", "log", second]).as_array().unwrap().len(), 2);
        assert_eq!(stdout(&ibid(&place, &["manifest", "diff", manifest, second])), "~  sub/two.md\n1 file unchanged\n");
        let zip = place.folder().join("out.zip");
        stdout(&ibid(&place, &["manifest", "export", manifest, zip.to_str().unwrap()]));
        assert!(std::fs::read(&zip).unwrap().starts_with(b"PK"));

        stdout(&ibid(&place, &["pointer", "set", "default/papers", "--manifest", manifest]));
        stdout(&ibid(
            &place,
            &["pointer", "advance", "default/papers", second, "--expected", manifest, "--reason", "new"],
        ));
        let stale = ibid(&place, &["pointer", "advance", "default/papers", second, "--expected", manifest]);
        assert_eq!(stale.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&stale.stderr).contains("stands at"));
        let history = json_of(&place, &["pointer", "history", "papers"]);
        assert_eq!((&history[0]["reason"], &history[0]["to_manifest_sha256"]), (&json!("new"), &json!(second)));
        assert!(stdout(&ibid(&place, &["pointer", "list"])).starts_with("default/papers"));
        assert!(stdout(&ibid(&place, &["job", "list"])).is_empty());

        assert!(stdout(&ibid(&place, &["gc", "--grace", "0s"])).contains("Nothing was changed"));
        let fsck = ibid(&place, &["fsck"]);
        assert!(stdout(&fsck).starts_with("Clean: 3 artifacts"), "{}", stdout(&fsck));
        let stored = json_of(&place, &["artifact", "show", sha256])["storage_uri"].as_str().unwrap().to_owned();
        std::fs::write(stored.strip_prefix("file://").unwrap(), "First words").unwrap();
        let fsck = ibid(&place, &["fsck"]);
        assert_eq!(fsck.status.code(), Some(1));
        let text = String::from_utf8_lossy(&fsck.stdout).into_owned();
        assert!(text.contains("corrupt_blob") && text.contains(sha256), "{text}");
        stdout(&ibid(&place, &["pointer", "delete", "papers"]));
        assert_eq!(json_of(&place, &["gc", "--grace", "0s", "--apply"])["manifests"], 2);
    }
}

#[tokio::test]
async fn settings_are_layered_and_secrets_masked() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let file = place.folder().join("settings.toml");
    std::fs::write(&file, "workers = 9\nconnections = 5\ns3_secret_key = \"hush\"\n").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ibid"))
        .env("IBID_CONNECTIONS", "6")
        .env("IBID_DATABASE_URL", "postgres://user:hush@host/db")
        .args(["config", "--json", "--max-connections", "7", "--config"])
        .arg(&file)
        .output()
        .unwrap();
    let text = stdout(&output);
    assert!(!text.contains("hush"), "{text}");
    let config: Json = serde_json::from_str(&text).unwrap();
    let of = |name: &str| (config[name]["value"].as_str().unwrap(), config[name]["from"].as_str().unwrap());
    assert_eq!(of("workers"), ("9", "ibid.toml"));
    assert_eq!(of("connections"), ("6", "IBID_CONNECTIONS"));
    assert_eq!(of("max_connections"), ("7", "flag"));
    assert_eq!(of("listen"), ("127.0.0.1:7319", "default"));
    assert_eq!(of("s3_secret_key").0, "********");
    assert_eq!(of("database_url").0, "postgres://user:********@host/db");
}

#[tokio::test]
async fn what_cannot_work_is_said_at_once() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let cases: [(&[&str], i32, &str); 7] = [
        (&["serve", "--listen", "0.0.0.0:0"], 1, "no authentication is configured"),
        (&["serve", "--listen", "[::]:0"], 1, "no authentication is configured"),
        (&["serve", "--database-url", "mysql://x"], 2, "PostgreSQL"),
        (&["serve", "--blobs", "ftp://x"], 2, "s3://"),
        (&["gc", "--grace", "soon"], 2, "30s, 10m, 24h or 7d"),
        (&["artifact", "show", "abc"], 2, "64 hexadecimal digits"),
        (&["artifact", "add", "/nowhere/at/all"], 1, "/nowhere/at/all"),
    ];
    for (arguments, code, words) in cases {
        let output = ibid(&place, arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let output = ibid(&place, &["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("another program listens there"));
}
