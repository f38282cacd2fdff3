//! Settings: defaults < `ibid.toml` < `IBID_*` environment < flags.
//!
//! Each setting is defined once, below; the flag, the variable, the key in the file, the help and the line that
//! `ibid config` prints all come from that definition.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use ibid_citations::extract::ExtractorMapping;
use ibid_store::{BlobLocation, Clock, DatabaseLocation, S3Options, StoreOptions};
use serde::{Deserialize, Serialize};

use crate::settings::{AppSettings, ChatSettings};

macro_rules! settings {
    ($($(#[doc = $help:literal])* $name:ident: $type:ty = $default:expr, $env:literal $(, $secret:ident)?;)*) => {
        /// What was said on the command line, in the environment or in the file; what was not said is `None`.
        #[derive(Clone, Debug, Default, clap::Args, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Said {
            $($(#[doc = $help])*
            #[arg(long, env = $env, global = true, hide_env_values = true, help_heading = "Settings")]
            pub $name: Option<$type>,)*
            /// How citations are found and shown; only a file says that.
            #[arg(skip)]
            pub citations: Option<CitationSettings>,
        }

        impl Said {
            /// What this says, and where it is silent, what the other says.
            fn or(self, other: Self) -> Self {
                Self { $($name: self.$name.or(other.$name),)* citations: self.citations.or(other.citations) }
            }
        }

        /// The settings in force.
        #[derive(Clone, Debug)]
        pub struct Config {
            $($(#[doc = $help])* pub $name: $type,)*
            /// How citations are found and shown.
            pub citations: CitationSettings,
            sources: Vec<(&'static str, &'static str)>,
        }

        impl Config {
            fn resolve(flags_and_env: Said, file: Said) -> Self {
                let mut sources = Vec::new();
                $(
                    let from = if flags_and_env.$name.is_some() {
                        if std::env::var_os($env).is_some() { $env } else { "flag" }
                    } else if file.$name.is_some() {
                        "ibid.toml"
                    } else {
                        "default"
                    };
                    sources.push((stringify!($name), from));
                )*
                let from = if file.citations.is_some() { "ibid.toml" } else { "default" };
                sources.extend(CitationSettings::NAMES.map(|name| (name, from)));
                let said = flags_and_env.or(file);
                Self { $($name: said.$name.unwrap_or_else(|| $default),)* citations: said.citations.unwrap_or_default(), sources }
            }

            /// Every setting, for the reference.
            pub fn reference() -> Vec<SettingReference> {
                vec![$(SettingReference {
                    name: stringify!($name),
                    env: $env,
                    default: { let value: $type = $default; value.to_string() },
                    help: concat!($($help),*).trim(),
                    secret: settings!(@is_secret $($secret)?),
                }),*]
            }

            /// Each setting with its value, secrets masked, and where it comes from.
            pub fn lines(&self) -> Vec<(&'static str, String, &'static str)> {
                let values = [$(settings!(@show self.$name $(, $secret)?)),*];
                let values = values.into_iter().chain(self.citations.display_values());
                self.sources.iter().zip(values).map(|((name, from), value)| (*name, value, *from)).collect()
            }
        }
    };
    (@is_secret secret) => { true };
    (@is_secret $($other:ident)?) => { false };
    (@show $value:expr) => { $value.to_string() };
    (@show $value:expr, secret) => { if $value.is_empty() { String::new() } else { "********".to_owned() } };
    (@show $value:expr, url) => { mask_password(&$value) };
}

/// A setting as the reference describes it.
#[derive(Clone, Debug, Serialize)]
pub struct SettingReference {
    /// Key in `ibid.toml`; with hyphens, the flag.
    pub name: &'static str,
    pub env: &'static str,
    pub default: String,
    pub help: &'static str,
    /// True if the value is masked wherever it is shown.
    pub secret: bool,
}

settings! {
    /// Address to listen on
    listen: SocketAddr = SocketAddr::from(([127, 0, 0, 1], 7319)), "IBID_LISTEN";
    /// Folder of the library
    data: DataFolder = DataFolder::default(), "IBID_DATA";
    /// Server to send commands to, as http(s)://host:port, instead of opening the library
    server: String = String::new(), "IBID_SERVER";
    /// Key for that server
    api_key: String = String::new(), "IBID_API_KEY", secret;
    /// PostgreSQL to use instead of the embedded database, as postgres://…
    database_url: String = String::new(), "IBID_DATABASE_URL", url;
    /// Where files are stored: `folder` (in the data folder) or s3://bucket/prefix
    blobs: String = "folder".to_owned(), "IBID_BLOBS";
    /// S3 server, if it is not AWS, as http(s)://host:port
    s3_endpoint: String = String::new(), "IBID_S3_ENDPOINT";
    /// Region of the bucket, such as `eu-central-1`
    s3_region: String = String::new(), "IBID_S3_REGION";
    /// S3 access key id
    s3_access_key: String = String::new(), "IBID_S3_ACCESS_KEY";
    /// S3 secret access key
    s3_secret_key: String = String::new(), "IBID_S3_SECRET_KEY", secret;
    /// Connections to the database
    connections: u32 = 16, "IBID_CONNECTIONS";
    /// Jobs done at the same time inside `serve` and `worker`; 0 leaves them to other processes
    workers: u32 = 4, "IBID_WORKERS";
    /// Largest upload, in bytes
    upload_limit_bytes: u64 = 16 << 30, "IBID_UPLOAD_LIMIT_BYTES";
    /// Largest JSON body, in bytes
    json_limit_bytes: u64 = 32 << 20, "IBID_JSON_LIMIT_BYTES";
    /// Longest time for a request; uploads and streams have none
    request_timeout_seconds: u64 = 60, "IBID_REQUEST_TIMEOUT_SECONDS";
    /// Longest pause within an upload
    idle_timeout_seconds: u64 = 60, "IBID_IDLE_TIMEOUT_SECONDS";
    /// Connections served at the same time
    max_connections: u32 = 1024, "IBID_MAX_CONNECTIONS";
    /// How long a shutdown waits for requests and jobs
    drain_seconds: u64 = 20, "IBID_DRAIN_SECONDS";
    /// Provider of embeddings: local, openai, google, compatible (with embedder_url), external or none
    embedder: EmbedderKind = EmbedderKind::Local, "IBID_EMBEDDER";
    /// Embedding model; default: the provider's own choice
    embedder_model: String = String::new(), "IBID_EMBEDDER_MODEL";
    /// Address of the embedding server, as http(s)://host:port/v1; needed for compatible
    embedder_url: String = String::new(), "IBID_EMBEDDER_URL";
    /// API key of the embedding provider
    embedder_key: String = String::new(), "IBID_EMBEDDER_KEY", secret;
    /// Dimension of the vectors, if the model leaves a choice; 0 is the model's own
    embedder_dimension: u32 = 0, "IBID_EMBEDDER_DIMENSION";
    /// Provider of the model that writes answers: openai, anthropic, google, compatible (with chat_url: Ollama, vLLM, llama.cpp …) or none
    chat: ChatKind = ChatKind::None, "IBID_CHAT";
    /// Model that writes answers
    chat_model: String = String::new(), "IBID_CHAT_MODEL";
    /// Address of the model's server, as http(s)://host:port/v1; needed for compatible
    chat_url: String = String::new(), "IBID_CHAT_URL";
    /// API key of the model's provider
    chat_key: String = String::new(), "IBID_CHAT_KEY", secret;
    /// Context of the model in tokens: what it reads and writes together
    chat_context_tokens: u32 = 32_768, "IBID_CHAT_CONTEXT_TOKENS";
    /// Longest silence of the model, in seconds; then the answer fails
    chat_silence_seconds: u64 = 60, "IBID_CHAT_SILENCE_SECONDS";
    /// API key of Brave Search; with it, research searches the web, too
    brave_key: String = String::new(), "IBID_BRAVE_KEY", secret;
    /// Address of the web search, if it is not Brave's
    brave_url: String = String::new(), "IBID_BRAVE_URL";
    /// API key of Firecrawl; with it, pages are fetched through Firecrawl, which runs their scripts
    firecrawl_key: String = String::new(), "IBID_FIRECRAWL_KEY", secret;
    /// Address of your own Firecrawl server
    firecrawl_url: String = String::new(), "IBID_FIRECRAWL_URL";
    /// What checks claims and answers: words, local (the judge that comes with Ibid) or model (the one that writes answers)
    judge: JudgeKind = JudgeKind::Local, "IBID_JUDGE";
    /// Let the model rewrite once what its sources do not support: true or false
    revise: bool = false, "IBID_REVISE";
    /// What writes the notes on cited sources: local (their own words) or model (the one that writes answers)
    notes: LocalOrModel = LocalOrModel::Local, "IBID_NOTES";
    /// What finds people and events in sources: local (rules) or model (the one that writes answers)
    knowledge: LocalOrModel = LocalOrModel::Local, "IBID_KNOWLEDGE";
    /// What decides whether two names mean the same: local (rules) or model (the one that writes answers)
    knowledge_judge: LocalOrModel = LocalOrModel::Local, "IBID_KNOWLEDGE_JUDGE";
    /// Prices of models in US dollars per million tokens, as model=input/output, separated by commas
    chat_prices: String = String::new(), "IBID_CHAT_PRICES";
    /// Longest passage, in tokens
    chunk_tokens: u32 = 512, "IBID_CHUNK_TOKENS";
    /// Overlap of a passage with the next one, in percent
    chunk_overlap_percent: u32 = 50, "IBID_CHUNK_OVERLAP_PERCENT";
    /// Private networks that pages may be fetched from, as 10.1.0.0/16 or 127.0.0.1:8080, separated by commas
    fetch_allow: String = String::new(), "IBID_FETCH_ALLOW";
    /// More host names that the server answers for, separated by commas
    allowed_hosts: String = String::new(), "IBID_ALLOWED_HOSTS";
    /// Address of the server for others, as https://host; default: the one it listens on
    public_url: String = String::new(), "IBID_PUBLIC_URL";
    /// Log filter, as in RUST_LOG; auto is warnings on a terminal and info elsewhere
    log: String = "auto".to_owned(), "IBID_LOG";
    /// Log format: text or json
    log_format: LogFormat = LogFormat::Text, "IBID_LOG_FORMAT";
}

/// Settings for extracting and displaying citations: the section `[citations]` of the configuration file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CitationSettings {
    /// True if tool results are searched for sources.
    pub enabled: bool,
    /// Form of citation markers in the app.
    pub format: CitationFormat,
    /// True if the app shows all quotes of a source at first; false shows only the first quote.
    pub expand_sources_by_default: bool,
    /// Number of sources that the list shows at first.
    pub max_sources_displayed: u32,
    /// Names of tools whose results are searched; `*` and `?` are wildcards.
    pub enabled_tools: Vec<String>,
    /// True if the app shows the source when the pointer is over a marker.
    pub enable_tooltips: bool,
    /// Mappings for the results of further tools; they take precedence over the built-in ones.
    pub extractors: Vec<ExtractorMapping>,
}

impl CitationSettings {
    /// Full names of these settings, as the list of all settings shows them.
    const NAMES: [&str; 7] = [
        "citations.enabled",
        "citations.format",
        "citations.expand_sources_by_default",
        "citations.max_sources_displayed",
        "citations.enabled_tools",
        "citations.enable_tooltips",
        "citations.extractors",
    ];

    fn display_values(&self) -> [String; 7] {
        [
            self.enabled.to_string(),
            self.format.to_string(),
            self.expand_sources_by_default.to_string(),
            self.max_sources_displayed.to_string(),
            self.enabled_tools.join(", "),
            self.enable_tooltips.to_string(),
            self.extractors.iter().map(|mapping| mapping.pattern.as_str()).collect::<Vec<_>>().join(", "),
        ]
    }
}

impl Default for CitationSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            format: CitationFormat::Superscript,
            expand_sources_by_default: false,
            max_sources_displayed: 10,
            enabled_tools: vec!["*".to_owned()],
            enable_tooltips: true,
            extractors: Vec::new(),
        }
    }
}

/// Form of a citation marker in the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CitationFormat {
    /// A number in brackets, such as `[1]`.
    Brackets,
    /// A superscript number, such as ¹.
    Superscript,
    /// The name of the source, as a link.
    InlineLinks,
}

impl std::fmt::Display for CitationFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Brackets => "brackets",
            Self::Superscript => "superscript",
            Self::InlineLinks => "inline_links",
        })
    }
}

/// Provider of the embedding model that turns text into vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The model that comes with Ibid.
    Local,
    Openai,
    Google,
    /// A server that speaks OpenAI's protocol.
    Compatible,
    /// Vectors come with imported passages and with queries.
    External,
    /// Nothing: search by words only.
    None,
}

impl std::fmt::Display for EmbedderKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Local => "local",
            Self::Openai => "openai",
            Self::Google => "google",
            Self::Compatible => "compatible",
            Self::External => "external",
            Self::None => "none",
        })
    }
}

/// Provider of the language model that writes answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChatKind {
    Openai,
    Anthropic,
    Google,
    /// A server that speaks OpenAI's protocol.
    Compatible,
    /// Nothing: answers are quoted.
    None,
}

impl std::fmt::Display for ChatKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
            Self::Compatible => "compatible",
            Self::None => "none",
        })
    }
}

/// Chooses between a built-in method and a language model for a task that both can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LocalOrModel {
    /// The built-in method, which needs no network.
    Local,
    /// The language model that writes answers.
    Model,
}

impl std::fmt::Display for LocalOrModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Local { "local" } else { "model" })
    }
}

/// What checks whether sources support claims, and whether passages answer questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum JudgeKind {
    /// Words, and embeddings if there are any.
    Words,
    /// The judge that comes with Ibid, which needs no network.
    Local,
    /// The language model that writes answers, after the local judge.
    Model,
}

impl std::fmt::Display for JudgeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Words => "words",
            Self::Local => "local",
            Self::Model => "model",
        })
    }
}

/// Format of the lines in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// Text lines for people to read.
    Text,
    /// One JSON object per line, for programs.
    Json,
}

impl std::fmt::Display for LogFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Text { "text" } else { "json" })
    }
}

/// The folder of a library; by default the platform's own place for data.
#[derive(Clone, Debug, Deserialize)]
pub struct DataFolder(PathBuf);

impl Default for DataFolder {
    fn default() -> Self {
        let home = || std::env::var_os("HOME").map(PathBuf::from).unwrap_or_else(|| PathBuf::from("."));
        let base = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        Self(base.unwrap_or_else(|| home().join(".local/share")).join("ibid"))
    }
}

impl DataFolder {
    /// The folder as a path.
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl std::str::FromStr for DataFolder {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(PathBuf::from(text)))
    }
}

impl std::fmt::Display for DataFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.display().fmt(f)
    }
}

/// Settings that say where the library is, or how to talk to the user: a server that runs already follows them.
const PLACE_SETTINGS: [&str; 11] = [
    "listen",
    "data",
    "server",
    "api_key",
    "database_url",
    "blobs",
    "s3_endpoint",
    "s3_region",
    "connections",
    "log",
    "log_format",
];

impl Config {
    /// Returns true if a flag says how the library works. A server that was started without it does not follow it.
    pub fn has_library_flags(&self) -> bool {
        self.sources.iter().any(|(name, from)| *from == "flag" && !PLACE_SETTINGS.contains(name))
    }

    /// These settings without the limits on what is sent.
    pub fn without_limits(&self) -> Self {
        Self { upload_limit_bytes: u64::MAX, json_limit_bytes: 1 << 32, ..self.clone() }
    }

    /// The settings in force. The file is the one named, or `ibid.toml` here, or that in the platform's own place.
    pub fn load(said: Said, file: Option<&Path>) -> Result<Self, String> {
        let file = match file {
            Some(path) => read_file(path)?,
            None => match default_files().into_iter().find(|path| path.is_file()) {
                Some(path) => read_file(&path)?,
                None => Said::default(),
            },
        };
        let config = Self::resolve(said, file);
        if config.blobs != "folder" && !config.blobs.starts_with("s3://") {
            return Err(format!("blobs is '{}'; it takes 'folder' or s3://bucket/prefix", config.blobs));
        }
        if !config.database_url.is_empty() && !config.database_url.starts_with("postgres") {
            return Err("database_url takes a PostgreSQL URL, as postgres://user@host/database".to_owned());
        }
        if !config.public_url.is_empty() && !is_web_address(&config.public_url) {
            return Err(format!(
                "public_url is '{}'; it takes an address like https://ibid.example.org",
                config.public_url
            ));
        }
        if !(16..=8192).contains(&config.chunk_tokens) {
            return Err(format!("chunk_tokens is {}; it takes a number from 16 to 8192", config.chunk_tokens));
        }
        if config.chunk_overlap_percent > 90 {
            return Err(format!("chunk_overlap_percent is {}; the most is 90", config.chunk_overlap_percent));
        }
        Ok(config)
    }

    /// Returns the origin of a setting (file, flag or variable), or `None` if it has its default value.
    fn source_of(&self, name: &str) -> Option<&'static str> {
        self.sources.iter().find(|(known, _)| *known == name).map(|(_, from)| *from).filter(|from| *from != "default")
    }

    /// Returns the origin of the chat model's settings, or `None` if all have default values.
    pub fn chat_from(&self) -> Option<&'static str> {
        ["chat", "chat_model", "chat_url", "chat_key"].into_iter().find_map(|name| self.source_of(name))
    }

    /// Returns the origin of the citation settings, or `None` if they have default values.
    pub fn citations_from(&self) -> Option<&'static str> {
        self.source_of(CitationSettings::NAMES[0])
    }

    /// Returns the settings of the model that writes answers.
    pub fn chat_settings(&self) -> ChatSettings {
        ChatSettings {
            provider: self.chat,
            model: self.chat_model.clone(),
            url: self.chat_url.clone(),
            key: self.chat_key.clone(),
        }
    }

    /// The settings with what was set in the app where nothing else was said.
    pub fn with_app_settings(&self, kept: &AppSettings) -> Self {
        let mut config = self.clone();
        if let Some(answers) = kept.answers.as_ref().filter(|_| self.chat_from().is_none()) {
            let ChatSettings { provider, model, url, key } = answers.clone();
            (config.chat, config.chat_model, config.chat_url, config.chat_key) = (provider, model, url, key);
        }
        if let Some(citations) = kept.citations.as_ref().filter(|_| self.citations_from().is_none()) {
            config.citations = citations.clone();
        }
        config
    }

    /// The settings as if nothing had been said of who writes answers.
    pub fn without_chat_origin(&self) -> Self {
        let sources = self.sources.iter().filter(|(name, _)| !name.starts_with("chat")).copied().collect();
        Self { sources, ..self.clone() }
    }

    /// Returns the options to open the library's store with.
    pub fn store_options(&self) -> StoreOptions {
        let data = &self.data.0;
        let database = match self.database_url.as_str() {
            "" => DatabaseLocation::Sqlite(data.join("ibid.db")),
            url => DatabaseLocation::Postgres(url.to_owned()),
        };
        let (blobs, spool) = match self.blobs.strip_prefix("s3://") {
            // The spool lies beside the blobs, so that a rename puts a blob in its place.
            None => (BlobLocation::Folder(data.join("blobs")), data.join("blobs").join("spool")),
            Some(rest) => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                let set = |value: &String| Some(value.clone()).filter(|value| !value.is_empty());
                let options = S3Options {
                    bucket: bucket.to_owned(),
                    prefix: prefix.to_owned(),
                    endpoint: set(&self.s3_endpoint),
                    region: set(&self.s3_region),
                    access_key: set(&self.s3_access_key),
                    secret_key: set(&self.s3_secret_key),
                };
                (BlobLocation::S3(options), data.join("spool"))
            }
        };
        StoreOptions { database, blobs, spool, connections: self.connections, clock: Clock::System }
    }

    /// The address of the app, without a slash at its end, if the server listens on `address`.
    pub fn public_url(&self, address: SocketAddr) -> String {
        match self.public_url.trim_end_matches('/') {
            "" => format!("http://{address}"),
            url => url.to_owned(),
        }
    }

    /// Returns the maximum duration of a request.
    pub fn request_timeout(&self) -> Duration {
        Duration::from_secs(self.request_timeout_seconds.max(1))
    }

    /// Returns the longest pause within an upload before it is aborted.
    pub fn idle_timeout(&self) -> Duration {
        Duration::from_secs(self.idle_timeout_seconds.max(1))
    }

    /// Returns the time that a shutdown waits for open requests and jobs.
    pub fn drain_timeout(&self) -> Duration {
        Duration::from_secs(self.drain_seconds)
    }
}

fn default_files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("ibid.toml")];
    let base = std::env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config")));
    files.extend(base.map(|base| base.join("ibid").join("ibid.toml")));
    files
}

fn read_file(path: &Path) -> Result<Said, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns true if the text is an absolute http(s) URL that paths can be appended to.
fn is_web_address(text: &str) -> bool {
    let Ok(uri) = text.parse::<axum::http::Uri>() else { return false };
    matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some() && uri.query().is_none()
}

/// A database URL without its password.
fn mask_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((name, _)) => format!("{name}:********@{host}"),
            None => authority.to_owned(),
        },
        None => authority.to_owned(),
    };
    let tail = match tail.find("password=") {
        Some(at) => format!("{}password=********", &tail[..at]),
        None => tail.to_owned(),
    };
    format!("{scheme}://{authority}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_masked() {
        assert_eq!(mask_password("postgres://u:p%40@h:5432/db"), "postgres://u:********@h:5432/db");
        assert_eq!(mask_password("postgres://u@h/db"), "postgres://u@h/db");
        assert_eq!(mask_password("postgres:///db?host=/tmp&password=x"), "postgres:///db?host=/tmp&password=********");
        assert_eq!(mask_password(""), "");
    }

    #[test]
    fn the_public_address_is_the_one_that_is_said_or_listened_on() {
        let load = |url: &str| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("ibid.toml");
            std::fs::write(&file, format!("public_url = {url:?}\n")).unwrap();
            Config::load(Said::default(), Some(&file))
        };
        let address = SocketAddr::from(([127, 0, 0, 1], 8000));
        assert_eq!(load("").unwrap().public_url(address), "http://127.0.0.1:8000");
        assert_eq!(load("https://a.example/ibid/").unwrap().public_url(address), "https://a.example/ibid");
        for wrong in ["a.example", "ftp://a.example", "https://", "https://a.example/?x=1", "/sources"] {
            assert!(load(wrong).unwrap_err().contains("public_url"), "{wrong}");
        }
    }

    #[test]
    fn citations_have_a_section_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ibid.toml");
        let load = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Config::load(Said::default(), Some(&file))
        };
        let text = "workers = 7\n[citations]\nformat = \"superscript\"\nenabled_tools = [\"web_*\"]\n\
                    [[citations.extractors]]\npattern = \"^tickets$\"\nitems = \"$.all[*]\"\nfields = { title = \"$.subject\" }\n";
        let config = load(text).unwrap();
        assert_eq!((config.workers, config.citations.format), (7, CitationFormat::Superscript));
        assert_eq!(config.citations.enabled_tools, ["web_*"]);
        assert_eq!(config.citations.extractors[0].items, "$.all[*]");
        assert_eq!(load("workers = 7\n").unwrap().citations, CitationSettings::default());
        for (text, wrong) in [
            ("[citations]\nformta = 1\n", "formta"),
            ("wrokers = 7\n[citations]\n", "wrokers"),
            ("[citations]\nformat = \"bold\"\n", "bold"),
        ] {
            assert!(load(text).unwrap_err().contains(wrong), "{text}");
        }
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ibid.toml");
        std::fs::write(&file, "workers = 7\nconnections = 3\n").unwrap();
        let said = Said { workers: Some(2), ..Said::default() };
        let config = Config::load(said, Some(&file)).unwrap();
        assert_eq!((config.workers, config.connections, config.max_connections), (2, 3, 1024));
        let lines = config.lines();
        assert!(lines.contains(&("connections", "3".to_owned(), "ibid.toml")));
        assert!(lines.contains(&("max_connections", "1024".to_owned(), "default")));
        std::fs::write(&file, "wrokers = 7\n").unwrap();
        assert!(Config::load(Said::default(), Some(&file)).unwrap_err().contains("wrokers"));
    }
}
