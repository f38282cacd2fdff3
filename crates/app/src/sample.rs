//! The sample library: a few documents about a made-up town, for those who have nothing at hand yet.

use ibid_domain::{
    Reference,
    artifact::{Filename, MediaType},
};
use ibid_store::SourceKey;
use rust_embed::RustEmbed;
use serde::Deserialize;

use crate::{
    Error, Result, SourceContent, SourceDraft, SourceWithRevision, UploadDetails, parse_names, services::SampleService,
};

/// Tag of the sources of the sample library.
const TAG: &str = "sample";

#[derive(RustEmbed)]
#[folder = "sample/"]
struct SampleFiles;

#[derive(Deserialize)]
struct SampleList {
    questions: Vec<String>,
    documents: Vec<SampleDocument>,
}

#[derive(Deserialize)]
struct SampleDocument {
    file: String,
    title: String,
    media_type: String,
    author: String,
    date: String,
}

impl SampleDocument {
    /// Returns the external id of its source, so that loading the sample twice adds nothing.
    fn external_id(&self) -> String {
        format!("{TAG}/{}", self.file)
    }
}

/// Counts that show how much of the sample library is loaded.
#[derive(Clone, Debug)]
pub struct SampleStatus {
    /// Number of documents in the sample library.
    pub documents: usize,
    /// Number of sample documents that are in the library.
    pub loaded: usize,
    /// Example questions that the sample answers.
    pub questions: Vec<String>,
}

impl SampleService<'_> {
    /// Returns how many sample documents are loaded, and example questions.
    pub async fn status(self) -> Result<SampleStatus> {
        let list = sample_list()?;
        let mut tx = self.app.store.read().await?;
        let mut loaded = 0;
        for document in &list.documents {
            let known = tx.sources(self.scope).find_by_key(&SourceKey::External(&document.external_id()), None).await?;
            loaded += usize::from(known.is_some());
        }
        Ok(SampleStatus { documents: list.documents.len(), loaded, questions: list.questions })
    }

    /// Adds what is missing of the sample library. Its documents are read by jobs that follow, like any others.
    pub async fn load(self) -> Result<Vec<SourceWithRevision>> {
        let mut loaded = Vec::new();
        for document in sample_list()?.documents {
            let file = sample_file(&document.file)?;
            let details = UploadDetails {
                media_type: Some(MediaType::new(&document.media_type)?),
                filename: Some(Filename::new(&document.file)?),
                ..UploadDetails::default()
            };
            let artifact = self.app.sources(self.scope).keep_bytes(file.into_owned().into(), details).await?;
            let draft = SourceDraft {
                content: SourceContent::Artifact(artifact.sha256),
                reference: Reference {
                    title: Some(document.title.clone()),
                    authors: document.author.split("; ").flat_map(parse_names).collect(),
                    publication_date: document.date.parse().ok(),
                    ..Reference::default()
                },
                tags: vec![TAG.to_owned()],
                external_id: Some(document.external_id()),
                filename: Some(document.file),
                ..SourceDraft::default()
            };
            loaded.push(self.app.sources(self.scope).create(draft).await?.0);
        }
        Ok(loaded)
    }

    /// Removes what is here of the sample library.
    pub async fn remove(self) -> Result<()> {
        for document in sample_list()?.documents {
            let mut tx = self.app.store.read().await?;
            let known = tx.sources(self.scope).find_by_key(&SourceKey::External(&document.external_id()), None).await?;
            drop(tx);
            if let Some(source) = known {
                match self.app.sources(self.scope).delete(source.id).await {
                    // Someone else was faster.
                    Err(Error::Problem(_)) => {}
                    done => done?,
                }
            }
        }
        Ok(())
    }
}

fn sample_file(name: &str) -> Result<std::borrow::Cow<'static, [u8]>> {
    let file = SampleFiles::get(name).ok_or_else(|| Error::corrupt("sample library", name))?;
    Ok(file.data)
}

fn sample_list() -> Result<SampleList> {
    let text = sample_file("sample.toml")?;
    let text = std::str::from_utf8(&text).map_err(Error::internal("read the sample library"))?;
    toml::from_str(text).map_err(Error::internal("read the sample library"))
}
