//! The sample library: a few documents about a made-up town, for those who have nothing at hand yet.

use ibid_domain::{
    Reference,
    artifact::{Filename, MediaType},
};
use ibid_store::SourceKey;
use rust_embed::RustEmbed;
use serde::Deserialize;

use crate::{App, Described, Error, Result, Scope, SourceContent, SourceDraft, UploadDetails, names};

/// What sample sources are filed under.
const TAG: &str = "sample";

#[derive(RustEmbed)]
#[folder = "sample/"]
struct Files;

#[derive(Deserialize)]
struct List {
    questions: Vec<String>,
    documents: Vec<Document>,
}

#[derive(Deserialize)]
struct Document {
    file: String,
    title: String,
    media_type: String,
    author: String,
    date: String,
}

impl Document {
    /// What the source of it is known by, however often it is loaded.
    fn id(&self) -> String {
        format!("{TAG}/{}", self.file)
    }
}

/// How much of the sample library there is.
#[derive(Clone, Debug)]
pub struct Sample {
    /// How many documents it has.
    pub documents: usize,
    /// How many of them are here.
    pub loaded: usize,
    /// What can be asked of them.
    pub questions: Vec<String>,
}

impl App {
    /// How much of the sample library is here.
    pub async fn sample(&self, scope: &Scope) -> Result<Sample> {
        let list = list()?;
        let mut tx = self.store.read().await?;
        let mut loaded = 0;
        for document in &list.documents {
            let known = tx.sources(scope).find(&SourceKey::External(&document.id()), None).await?;
            loaded += usize::from(known.is_some());
        }
        Ok(Sample { documents: list.documents.len(), loaded, questions: list.questions })
    }

    /// Adds what is missing of the sample library. Its documents are read by jobs that follow, like any others.
    pub async fn load_sample(&self, scope: &Scope) -> Result<Vec<Described>> {
        let mut loaded = Vec::new();
        for document in list()?.documents {
            let file = file(&document.file)?;
            let details = UploadDetails {
                media_type: Some(MediaType::new(&document.media_type)?),
                filename: Some(Filename::new(&document.file)?),
                ..UploadDetails::default()
            };
            let artifact = self.keep_bytes(scope, file.into_owned().into(), details).await?;
            let draft = SourceDraft {
                content: SourceContent::Artifact(artifact.sha256),
                reference: Reference {
                    title: Some(document.title.clone()),
                    authors: document.author.split("; ").flat_map(names).collect(),
                    publication_date: document.date.parse().ok(),
                    ..Reference::default()
                },
                tags: vec![TAG.to_owned()],
                external_id: Some(document.id()),
                filename: Some(document.file),
                ..SourceDraft::default()
            };
            loaded.push(self.create_source(scope, draft).await?.0);
        }
        Ok(loaded)
    }

    /// Removes what is here of the sample library.
    pub async fn remove_sample(&self, scope: &Scope) -> Result<()> {
        for document in list()?.documents {
            let mut tx = self.store.read().await?;
            let known = tx.sources(scope).find(&SourceKey::External(&document.id()), None).await?;
            drop(tx);
            if let Some(source) = known {
                match self.delete_source(scope, source.id).await {
                    // Someone else was faster.
                    Err(Error::Problem(_)) => {}
                    done => done?,
                }
            }
        }
        Ok(())
    }
}

fn file(name: &str) -> Result<std::borrow::Cow<'static, [u8]>> {
    let file = Files::get(name).ok_or_else(|| Error::Corrupt(format!("the sample library has no {name}")))?;
    Ok(file.data)
}

fn list() -> Result<List> {
    let text = file("sample.toml")?;
    let text = std::str::from_utf8(&text).map_err(|error| Error::Corrupt(error.to_string()))?;
    toml::from_str(text).map_err(|error| Error::Corrupt(error.to_string()))
}
