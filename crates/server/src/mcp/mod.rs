//! The MCP server: what chat clients and agents call, over standard input and output and over HTTP at `/mcp`.
//!
//! It decides nothing. A tool takes its arguments apart as the HTTP API takes a body apart, calls the same function,
//! and gives what came back twice: structured, for programs, and as text that a model reads. Sources are resources.
//! Nothing is kept between two calls, so any number of servers can answer one client.
//!
//! Start reading at [`table`], which names every tool; adding one is adding a row there.

mod address;
mod citations;
mod connector;
mod documents;
mod excerpt;
mod jobs;
mod knowledge;
mod resources;
mod schema;
mod search;
mod sources;
mod tool_answer;
mod tool_table;
mod transport;

use std::sync::Arc;

use ibid_app::{App, Scope};
use ibid_domain::{Code, Problem, problem::shorten_for_error};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode, Implementation,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};

pub(crate) use transport::{endpoint, serve_stdio};

/// Instructions that a client gets when it connects, for its model.
const INSTRUCTIONS: &str = "Ibid is a library of sources: pages, files and texts with every word kept as it was. \
     Find passages with hybrid_search, read around them with get_source or fetch, bring new sources with add_source. \
     Every result carries the exact quote, where it stands, and a link that opens the source at those words: \
     quote word for word and give the link with each claim.";

/// Time that clients may cache the list of tools, in milliseconds. The list changes only with a new version of Ibid.
const TOOLS_FRESH: u64 = 300_000;

/// The library as one caller sees it through MCP.
pub(crate) struct Mcp {
    app: App,
    scope: Scope,
    /// The address of the app, without a slash at its end.
    public_url: String,
}

impl Mcp {
    /// The library, for this caller, with links that begin with `public_url`.
    pub(crate) fn new(app: App, scope: Scope, public_url: String) -> Arc<Self> {
        Arc::new(Self { app, scope, public_url })
    }
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let about = Implementation::new("ibid", env!("CARGO_PKG_VERSION"))
            .with_title("Ibid")
            .with_description("The evidence engine: every claim tied to the exact words that support it.");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool_table::list_tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ListToolsResult::with_all_items(tool_table::list_tools().to_vec());
        Ok(tools.with_ttl_ms(TOOLS_FRESH).with_cache_scope(CacheScope::Public))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(row) = tool_table::find_tool(&request.name) else {
            let names: Vec<_> = tool_table::TOOLS.iter().map(|row| row.name).collect();
            let message = format!("there is no tool '{}'; there are {}", request.name, names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(row.run_tool(self, request.arguments.unwrap_or_default()).await.into())
    }

    /// Handles requests that rmcp cannot parse as the method they name. A tool call with arguments that are no JSON
    /// object comes here, and the error is returned to the model.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let arguments = request.params.as_ref().and_then(|params| params.get("arguments"));
        match arguments {
            Some(arguments) if request.method == "tools/call" && !arguments.is_object() => {
                let detail = format!("arguments is {}; it takes an object", shorten_for_error(&arguments.to_string()));
                let result =
                    tool_answer::error_result(&Problem::new(Code::InvalidField, detail).with_field("arguments"));
                Ok(CustomResult::new(serde_json::to_value(result).unwrap_or_default()))
            }
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list_resources(self, request.and_then(|request| request.cursor)).await
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::resource_templates().with_ttl_ms(TOOLS_FRESH).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read_resource(self, &request.uri).await?.into())
    }
}
