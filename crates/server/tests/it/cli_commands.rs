//! Every command of the command line, with the real binary: on a library that it opens itself, and through a server.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use ibid_testkit::{TestEngine, TestPlace};
use serde_json::{Value as Json, json};

use crate::running::{Running, command, ibid};

/// Runs commands on one library in one way, and remembers which.
struct Shell<'a> {
    place: &'a TestPlace,
    /// Arguments that every command gets, such as `--server URL`.
    general: Vec<String>,
    seen: BTreeSet<String>,
}

impl Shell<'_> {
    fn output(&mut self, name: &str, arguments: &[&str]) -> Output {
        self.seen.insert(format!("ibid {name}"));
        let mut command = match self.general.is_empty() {
            true => command(self.place),
            // A folder of its own, so that nothing but the server can know the library.
            false => Command::new(env!("CARGO_BIN_EXE_ibid")),
        };
        if !self.general.is_empty() {
            command.env_remove("IBID_DATABASE_URL").arg("--data").arg(self.place.folder().join("elsewhere"));
        }
        command.args(name.split(' ')).args(arguments).args(&self.general).stdin(Stdio::null()).output().unwrap()
    }

    /// What a command prints that must succeed.
    fn text(&mut self, name: &str, arguments: &[&str]) -> String {
        let output = self.output(name, arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "ibid {name} {arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&mut self, name: &str, arguments: &[&str]) -> Json {
        let mut with = arguments.to_vec();
        with.push("--json");
        let text = self.text(name, &with);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("ibid {name}: {error}: {text}"))
    }

    /// A command that must fail with this code; returns the error it prints.
    fn fails(&mut self, name: &str, arguments: &[&str], code: i32) -> String {
        let output = self.output(name, arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "ibid {name} {arguments:?}: {error}");
        assert!(!error.trim().is_empty() || code == 1, "ibid {name} says why");
        error
    }
}

fn id(json: &Json) -> String {
    json["id"].as_str().unwrap_or_else(|| panic!("no id: {json}")).to_owned()
}

/// What can be done with a library, whoever opens it.
fn everyday(shell: &mut Shell<'_>, folder: &Path) {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(
        at("harbour.md"),
        "# The harbour of Selde\n\nThe harbour of Selde was built in 1874 by the engineer Marta Lindqvist.\n\
         On 3 May 1931 the council decided to rebuild it in stone.\n",
    )
    .unwrap();
    std::fs::write(at("birds.txt"), "The grey heron hunts standing still.\n").unwrap();

    let added = shell.json("add", &[&at("harbour.md"), "--tag", "sample"]);
    assert_eq!((&added[0]["outcome"], added[0]["reason"].is_null()), (&json!("added"), true), "{added}");
    let source = id(&added[0]);
    assert!(shell.text("add", &[&at("harbour.md")]).contains("1 unchanged"));
    assert!(shell.text("watch", &[folder.to_str().unwrap(), "--once"]).contains("birds.txt"));
    assert!(shell.fails("watch", &[&at("harbour.md")], 2).contains("is not a folder"));

    assert!(shell.text("search", &["harbour"]).contains("The harbour of Selde"));
    assert_eq!(shell.json("search", &["heron", "--words"])["primary_results"][0]["title"], "birds.txt");
    shell.fails("search", &["nothinglikethis", "--words"], 1);
    let answer = shell.text("ask", &["who built the harbour of Selde?"]);
    assert!(answer.contains("Marta Lindqvist") && answer.contains("[1]"), "{answer}");
    let message = shell.json("ask", &["who built the harbour of Selde?"]);
    assert_eq!(message["citations"][0]["source_id"], source.as_str());
    let opened = shell.output("open", &["--print", &source, "--at", "3-12"]);
    match shell.general.is_empty() {
        true => assert!(String::from_utf8_lossy(&opened.stderr).contains("ibid serve")),
        false => {
            assert!(String::from_utf8_lossy(&opened.stdout).trim().ends_with(&format!("/sources/{source}#c=3-12")))
        }
    }

    std::fs::write(at("draft.md"), "The harbour of Selde was built in 1874 by the engineer Marta Lindqvist.\n")
        .unwrap();
    assert!(shell.text("cite", &[&at("draft.md")]).contains("[1]"));
    assert_eq!(shell.json("cite", &[&at("draft.md")])["unsupported"], json!([]));
    let bundle = at("evidence.zip");
    assert!(shell.text("export evidence", &[&id(&message), "--output", &bundle]).contains("sound"));
    assert!(shell.text("verify", &[&bundle]).contains("sound"));

    let listed = shell.json("source list", &["harbour"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["id"], source.as_str());
    assert!(shell.text("source list", &[]).contains("birds.txt"));
    assert!(shell.text("source show", &[&source]).contains("passages"));
    assert!(shell.text("source show", &[&source, "--text"]).contains("built in 1874"));
    assert!(shell.text("source show", &[&source, "--chunks"]).contains("built in 1874"));
    let book = shell.json("source new", &["--title", "Stone and Sea", "--author", "Marta Lindqvist", "--date", "1931"]);
    let edited = shell.json("source edit", &[&id(&book), "--title", "Stone, Sea", "--date", ""]);
    assert_eq!((&edited["title"], &edited["publication_date"]), (&json!("Stone, Sea"), &Json::Null));
    std::fs::write(at("one.bib"), "@book{a, title={Harbours}, author={Oke, Ada}, year={1999}}").unwrap();
    assert!(shell.text("source import", &[&at("one.bib")]).starts_with("1 entry: 1 added"));
    assert_eq!(shell.json("source import", &[&at("one.bib")])["unchanged"], 1);
    assert!(shell.text("source refresh", &[&source]).contains("ibid job show"));
    assert!(shell.text("source impact", &[&source]).contains("The harbour of Selde"));
    assert!(shell.json("source impact", &[&source])["claim_count"].as_u64().unwrap() > 0);
    assert_eq!(shell.text("source delete", &[&id(&book)]), "Deleted 1 source.\n");
    assert!(shell.fails("source show", &[&id(&book)], 1).contains("source"));

    let jobs = shell.json("job list", &["--limit", "5"]);
    let job = id(&jobs[0]);
    assert!(shell.text("job list", &[]).contains(&job));
    assert!(shell.text("job show", &[&job]).contains("attempt"));
    // Jobs that are done are neither retried nor cancelled.
    for name in ["job retry", "job cancel"] {
        let ended = shell.json("job list", &["--state", "succeeded"]);
        assert!(!shell.fails(name, &[&id(&ended[0])], 1).is_empty());
    }

    documents(shell, folder, &source);
    storage(shell, folder);
    entities(shell, &at("harbour.md"));
}

fn documents(shell: &mut Shell<'_>, folder: &Path, source: &str) {
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::write(at("text.md"), "It was rebuilt in 1931.\n").unwrap();
    let document = id(&shell.json("doc new", &["The harbour", &at("text.md"), "--style", "apa", "--source", source]));
    assert!(shell.text("doc list", &[]).contains("The harbour"));
    assert!(shell.text("doc show", &[&document]).contains("rebuilt in 1931"));
    let cited = shell.json("doc cite", &[&document, source, "--after", "rebuilt in 1931"]);
    assert_eq!(cited["citation_number"], 1);
    assert!(shell.text("doc bib", &[&document]).contains("Selde"));
    assert!(shell.text("doc build", &[&document, &at("harbour.html")]).contains("harbour.html"));
    assert!(std::fs::read_to_string(at("harbour.html")).unwrap().contains("rebuilt in 1931"));
    assert!(shell.json("doc build", &[&document, &at("harbour.pdf")])["pages"].as_u64() >= Some(1));
    assert!(std::fs::read(at("harbour.pdf")).unwrap().starts_with(b"%PDF"));
    std::fs::write(at("text.md"), "It was rebuilt in 1932.\n").unwrap();
    shell.text("doc edit", &[&document, &at("text.md"), "-m", "another year"]);
    assert!(shell.text("doc history", &[&document]).contains("another year"));
    shell.text("doc restore", &[&document, "1"]);
    assert!(shell.text("doc show", &[&document]).contains("1931"));
    assert!(shell.text("doc watch", &[&document, &at("text.md"), &at("out.html"), "--once"]).contains("out.html"));
    assert!(std::fs::read_to_string(at("out.html")).unwrap().contains("1932"));
}

fn storage(shell: &mut Shell<'_>, folder: &Path) {
    let tree = folder.join("tree");
    std::fs::create_dir_all(tree.join("sub")).unwrap();
    std::fs::write(tree.join("one.txt"), "first words").unwrap();
    std::fs::write(tree.join("sub/two.txt"), "second words").unwrap();
    let one = tree.join("one.txt");
    let kept = shell.json("artifact add", &[one.to_str().unwrap()]);
    let sha256 = kept[0]["artifact"]["sha256"].as_str().unwrap().to_owned();
    assert!(shell.text("artifact list", &[]).contains("one.txt"));
    assert!(shell.text("artifact show", &[&sha256]).contains("text/plain"));
    assert_eq!(shell.text("artifact cat", &[&sha256]), "first words");
    let made = shell.json("manifest create", &[tree.to_str().unwrap()]);
    let first = made["sha256"].as_str().unwrap().to_owned();
    std::fs::write(tree.join("sub/two.txt"), "other words").unwrap();
    let made = shell.json("manifest create", &[tree.to_str().unwrap(), "--parent", &first]);
    let second = made["sha256"].as_str().unwrap().to_owned();
    assert!(shell.text("manifest show", &[&second]).contains("sub/two.txt"));
    assert_eq!(shell.json("manifest log", &[&second]).as_array().unwrap().len(), 2);
    assert!(shell.text("manifest diff", &[&first, &second]).contains("sub/two.txt"));
    let zip = folder.join("tree.zip");
    shell.text("manifest export", &[&first, zip.to_str().unwrap()]);
    assert!(std::fs::read(&zip).unwrap().starts_with(b"PK"));
    shell.text("pointer set", &["default/trees", "--manifest", &first]);
    assert!(shell.text("pointer list", &[]).contains("default/trees"));
    assert!(shell.text("pointer show", &["default/trees"]).contains(&first));
    shell.text("pointer advance", &["default/trees", &second, "--expected", &first]);
    assert_eq!(shell.json("pointer history", &["default/trees"])[0]["to_manifest_sha256"], second.as_str());
    shell.text("pointer delete", &["default/trees"]);
    shell.fails("pointer show", &["default/trees"], 1);
}

fn entities(shell: &mut Shell<'_>, file: &str) {
    let began = Instant::now();
    let marta = loop {
        let known = shell.json("entity list", &[]);
        let marta = known.as_array().unwrap().iter().find(|one| one["name"] == "Marta Lindqvist");
        if let Some(id) = marta.and_then(|one| one["entity_id"].as_str()) {
            break id.to_owned();
        }
        assert!(began.elapsed() < Duration::from_secs(60), "she is known: {known}");
        // Where no server does the jobs, a command does them while it waits.
        shell.text("add", &[file]);
        std::thread::sleep(Duration::from_millis(200));
    };
    let marta = marta.as_str();
    assert!(shell.text("entity show", &[marta]).contains("Marta Lindqvist"));
    shell.json("entity review", &[]);
    let nobody = "01900000-0000-7000-8000-000000000000";
    for name in ["entity confirm", "entity refuse", "entity undo"] {
        assert!(!shell.fails(name, &[nobody], 1).is_empty());
    }
    assert!(!shell.fails("entity merge", &[nobody, marta], 1).is_empty());
    assert!(!shell.fails("entity split", &[marta], 1).is_empty());
    assert!(shell.text("graph health", &[]).contains("entities"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_command_works_on_a_library_and_through_a_server() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let mut local = Shell { place: &place, general: Vec::new(), seen: BTreeSet::new() };
    everyday(&mut local, &place.folder().join("files"));
    assert!(local.text("index status", &[]).contains("passage"));
    assert!(local.text("index rebuild", &[]).contains("passage"));
    local.text("graph rebuild", &[]);
    assert!(local.text("gc", &["--grace", "0s"]).contains("Nothing was changed"));
    assert!(local.text("fsck", &[]).starts_with("Clean"));
    assert!(local.text("config", &[]).contains("127.0.0.1:7319"));
    assert!(local.text("help", &["source", "list"]).contains("ibid source list"));
    assert!(local.text("help", &["settings"]).contains("IBID_CHAT_MODEL"));
    assert!(local.text("help", &["exit-codes"]).contains("not understood"));
    assert!(local.text("help", &["json"]).contains("SearchAnswer"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(local.text("completions", &[shell]).contains("COMPLETE"), "{shell}");
    }
    // The shell asks the program, which knows the ids and titles of the library.
    let listed = local.json("source list", &["harbour"]);
    let asked = Command::new(env!("CARGO_BIN_EXE_ibid"))
        .env("IBID_DATA", place.folder())
        .env("COMPLETE", "fish")
        .args(["--", "ibid", "source", "show", ""])
        .output()
        .unwrap();
    let offered = String::from_utf8(asked.stdout).unwrap();
    assert!(offered.contains(&id(&listed[0])) && offered.contains("The harbour of Selde"), "{offered}");
    let checks = local.json("doctor", &["--listen", "127.0.0.1:0"]);
    let state =
        |name: &str| checks.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap()["state"].clone();
    for name in ["folder", "database", "files", "index", "PDF", "meaning", "judge", "answers", "server"] {
        assert_eq!(state(name), "ok", "{name}: {checks}");
    }

    let server = Running::start(TestEngine::Sqlite).await.unwrap();
    let url = server.url.clone();
    let mut remote = Shell { place: &place, general: vec!["--server".to_owned(), url], seen: BTreeSet::new() };
    everyday(&mut remote, &place.folder().join("remote"));
    for name in ["gc", "fsck", "index status", "graph rebuild"] {
        assert!(remote.fails(name, &[], 2).contains("works on the library itself"), "{name}");
    }

    // What runs until it is stopped has tests of its own.
    let mut seen = local.seen;
    seen.extend(["serve", "mcp", "worker"].map(|name| format!("ibid {name}")));
    let described: Json = serde_json::from_slice(&ibid(&place, &["reference", "commands"]).stdout).unwrap();
    let all: BTreeSet<String> =
        described.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(all.difference(&seen).collect::<Vec<_>>(), Vec::<&String>::new(), "commands without a test");
}

#[tokio::test]
async fn a_running_server_is_noticed_and_used() {
    let mut server = Running::start(TestEngine::Sqlite).await.unwrap();
    let record = server.place.folder().join("server.json");
    let written: Json = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    assert_eq!(written["url"], server.url.as_str());
    let opened = server.ibid(&["source", "new", "--title", "By hand", "--json"]);
    let source = id(&serde_json::from_slice(&opened.stdout).unwrap());
    let opened = server.ibid(&["open", "--print", "by", "hand"]);
    assert_eq!(String::from_utf8_lossy(&opened.stdout).trim(), format!("{}/sources/{source}", server.url));
    // A flag that says how the library works is not for a server that was started without it.
    assert_eq!(server.ibid(&["open", "--print", &source, "--judge", "words"]).status.code(), Some(1));
    // The record of a killed server misleads nobody.
    server.kill();
    assert!(record.exists());
    assert!(String::from_utf8_lossy(&server.ibid(&["source", "list"]).stdout).contains("By hand"));
    server.restart();
    server.terminate();
    server.wait();
    assert!(!record.exists(), "a server that ends takes its record away");
}

#[tokio::test]
async fn wrong_use_is_one_sentence_and_code_2() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let cases: [(&[&str], &str); 9] = [
        (&["serach", "x"], "'search'"),
        (&["search"], "<QUERY>"),
        (&["search", "--limmit", "3", "x"], "--limit"),
        (&["search", "--limit", "many", "x"], "many"),
        (&["source", "show", "abc"], "abc"),
        (&["open", "x", "--at", "9-3"], "START-END"),
        (&["help", "nothing"], "no command or topic"),
        (&["list", "--server", "ftp://x"], "unrecognized subcommand"),
        (&["job", "list", "--server", "ftp://x"], "http://"),
    ];
    for (arguments, words) in cases {
        let output = ibid(&place, arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert_eq!(error.trim().lines().count(), 1, "{arguments:?}: {error}");
    }
    let output = ibid(&place, &["search", "--json"]);
    let error: Json = serde_json::from_slice(&output.stderr).unwrap();
    assert!(error["error"].as_str().unwrap().contains("<QUERY>"));
    let gone = ibid(&place, &["search", "x", "--server", "http://127.0.0.1:9"]);
    assert_eq!(gone.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("cannot reach the server at http://127.0.0.1:9"));
    // Where there is no terminal, `ibid` alone opens nothing.
    let alone = ibid(&place, &[]);
    assert_eq!(alone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&alone.stderr).contains("Ask and search"));
}

/// The help of every command, as people see it. After a change: `IBID_UPDATE_SNAPSHOTS=1 make test STAGE=rust`.
#[tokio::test]
async fn every_help_is_as_it_was() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let described: Json = serde_json::from_slice(&ibid(&place, &["reference", "commands"]).stdout).unwrap();
    let mut names: Vec<String> = vec![String::new()];
    names.extend(
        described.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()["ibid ".len()..].to_owned()),
    );
    let mut all = String::new();
    for name in &names {
        let output = Command::new(env!("CARGO_BIN_EXE_ibid"))
            .env("COLUMNS", "100")
            .args(name.split_whitespace())
            .arg("--help")
            .output()
            .unwrap();
        assert!(output.status.success(), "{name}");
        all += &format!("$ ibid {name} --help\n{}\n", String::from_utf8(output.stdout).unwrap());
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/files/help.txt");
    if std::env::var_os("IBID_UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&file, &all).unwrap();
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == all, "the help changed; look at it, then run this test with IBID_UPDATE_SNAPSHOTS=1");
}

/// At a terminal, `ibid` alone starts the server and opens the browser.
#[tokio::test]
async fn ibid_alone_starts_and_opens_the_app() {
    let place = TestPlace::new(TestEngine::Sqlite).await.unwrap();
    let tools = place.folder().join("tools");
    std::fs::create_dir_all(&tools).unwrap();
    let (opened, log) = (place.folder().join("opened"), place.folder().join("terminal.log"));
    let browser = tools.join("xdg-open");
    std::fs::write(&browser, format!("#!/bin/sh\necho \"$1\" > {}\n", opened.display())).unwrap();
    std::fs::set_permissions(&browser, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    // `script` gives it a terminal.
    let typed = format!("exec {} --data {}", env!("CARGO_BIN_EXE_ibid"), place.folder().display());
    let mut terminal = Command::new("script")
        .args(["-qefc", &typed, log.to_str().unwrap()])
        .env("PATH", path)
        .env("DISPLAY", ":0")
        .env_remove("IBID_DATABASE_URL")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let record = place.folder().join("server.json");
    let began = Instant::now();
    while !(opened.exists() && record.exists()) {
        assert!(began.elapsed() < Duration::from_secs(60), "{}", std::fs::read_to_string(&log).unwrap_or_default());
        std::thread::sleep(Duration::from_millis(50));
    }
    let written: Json = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    let url = written["url"].as_str().unwrap().to_owned();
    while std::fs::read_to_string(&opened).unwrap().trim() != url {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(50));
    }
    let health: Json = reqwest::get(format!("{url}/health")).await.unwrap().json().await.unwrap();
    assert_eq!(health["status"], "ok");
    let pid = written["pid"].as_u64().unwrap().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    terminal.wait().unwrap();
    let said = std::fs::read_to_string(&log).unwrap();
    assert!(said.contains("Ibid is ready: http://127.0.0.1:") && said.contains("ibid ask"), "{said}");
}
