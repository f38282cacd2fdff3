//! An MCP client at wire level: JSON-RPC in both of its lifecycles, over HTTP and over the pipes of a child process.

use std::process::{ExitStatus, Stdio};

use ibid_testkit::TestPlace;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value as Json, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout},
};

use crate::{Running, running::command};

/// With `initialize` and what follows from it.
pub(crate) const OLD: &str = "2025-11-25";
/// With everything in each request.
pub(crate) const NEW: &str = "2026-07-28";

/// A client that has found its server.
pub(crate) struct Client<'a> {
    pub(crate) version: &'static str,
    way: Way<'a>,
    last: u64,
}

enum Way<'a> {
    Http(&'a Running),
    Stdio { child: Box<Child>, input: ChildStdin, output: Lines<BufReader<ChildStdout>> },
}

impl<'a> Client<'a> {
    /// A client of the server's `/mcp`.
    pub(crate) async fn over_http(server: &'a Running, version: &'static str) -> Client<'a> {
        Client { version, way: Way::Http(server), last: 0 }.greeted().await
    }

    /// A client that starts `ibid mcp` on a library.
    pub(crate) async fn over_stdio(place: &TestPlace, arguments: &[&str], version: &'static str) -> Client<'static> {
        let mut command = tokio::process::Command::from(command(place));
        command.arg("mcp").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let log = std::fs::File::options().create(true).append(true).open(place.folder().join("mcp.log")).unwrap();
        let mut child = command.stderr(log).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let way = Way::Stdio { child: Box::new(child), input, output: BufReader::new(output).lines() };
        Client { version, way, last: 0 }.greeted().await
    }

    async fn greeted(mut self) -> Self {
        let about = if self.version == NEW {
            let about = self.result("server/discover", json!({})).await;
            assert!(about["supportedVersions"].as_array().unwrap().contains(&json!(NEW)), "{about}");
            assert_eq!(about["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "ibid", "{about}");
            about
        } else {
            let hello = json!({
                "protocolVersion": self.version,
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            });
            let about = self.result("initialize", hello).await;
            assert_eq!((&about["protocolVersion"], &about["serverInfo"]["name"]), (&json!(OLD), &json!("ibid")));
            self.notify("notifications/initialized").await;
            about
        };
        assert!(about["instructions"].as_str().unwrap().contains("hybrid_search"));
        assert!(about["capabilities"]["tools"].is_object() && about["capabilities"]["resources"].is_object());
        self
    }

    /// Sends a request and gives what came back: `result` or `error`.
    pub(crate) async fn request(&mut self, method: &str, params: Json) -> Json {
        self.last += 1;
        let message = self.message(method, params);
        match &mut self.way {
            Way::Http(server) => {
                let response = posted(server, self.version, &message).send().await.unwrap();
                let kind = response.headers().get("content-type").cloned();
                let text = response.text().await.unwrap();
                assert_eq!(kind.as_ref().map(|kind| kind.as_bytes()), Some(b"application/json".as_slice()), "{text}");
                let answer: Json = serde_json::from_str(&text).unwrap();
                assert_eq!(answer["id"], self.last, "{answer}");
                answer
            }
            Way::Stdio { input, output, .. } => {
                input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
                let line = output.next_line().await.unwrap().expect("the server ended");
                let answer: Json = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"));
                assert_eq!(answer["id"], self.last, "{answer}");
                answer
            }
        }
    }

    fn message(&self, method: &str, mut params: Json) -> Json {
        if self.version == NEW {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": NEW,
                "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params })
    }

    async fn notify(&mut self, method: &str) {
        let message = json!({ "jsonrpc": "2.0", "method": method });
        match &mut self.way {
            Way::Http(server) => {
                let response = posted(server, self.version, &message).send().await.unwrap();
                assert_eq!(response.status(), 202);
            }
            Way::Stdio { input, .. } => input.write_all(format!("{message}\n").as_bytes()).await.unwrap(),
        }
    }

    /// What a request that must go well gives.
    pub(crate) async fn result(&mut self, method: &str, params: Json) -> Json {
        let mut answer = self.request(method, params).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Calls a tool and gives its whole result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Json) -> Json {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Calls a tool that must do what it is asked: what it says to programs, and to a model.
    pub(crate) async fn called(&mut self, tool: &str, arguments: Json) -> (Json, String) {
        let mut result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], false, "{tool}: {result}");
        assert_eq!(result["content"][0]["type"], "text", "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (result["structuredContent"].take(), text)
    }

    /// Calls a tool that must refuse, and gives what it says to a model.
    pub(crate) async fn refused(&mut self, tool: &str, arguments: Json) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!((&result["isError"], &result["structuredContent"]), (&json!(true), &Json::Null), "{tool}: {result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Sends a request, closes the pipe at once, and gives all that still comes, and how the server ended.
    pub(crate) async fn leave_after(mut self, method: &str, params: Json) -> (Vec<Json>, ExitStatus) {
        self.last += 1;
        let message = self.message(method, params);
        let Way::Stdio { mut child, mut input, mut output } = self.way else { panic!("there is no pipe") };
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
        drop(input);
        let mut lines = Vec::new();
        while let Some(line) = output.next_line().await.unwrap() {
            lines.push(serde_json::from_str(&line).unwrap());
        }
        (lines, child.wait().await.unwrap())
    }
}

/// A message on its way to `/mcp`, with the headers that its version wants.
pub(crate) fn posted(server: &Running, version: &str, message: &Json) -> RequestBuilder {
    let mut request = server
        .request(Method::POST, "/mcp")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", version)
        .json(message);
    if version == NEW {
        request = request.header("mcp-method", message["method"].as_str().unwrap_or_default());
        let name = message["params"]["name"].as_str().or(message["params"]["uri"].as_str());
        request = name.into_iter().fold(request, |request, name| request.header("mcp-name", name));
    }
    request
}
