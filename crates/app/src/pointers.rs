//! Making, moving and reading pointers.

use ibid_domain::{
    Code, Cursor, JsonObject, Limit, Page, Pointer, PointerType, Problem, Sha256,
    pointer::{PointerMove, PointerName, check_namespace},
};
use ibid_store::{PointerFilter, PointerPatch};

use crate::{Result, manifests, services::PointerService};

/// A pointer as someone asks for it.
#[derive(Clone, Debug, Default)]
pub struct PointerDraft {
    /// Its first manifest, if it is to be made.
    pub manifest: Option<Sha256>,
    /// Kind of content the pointer names.
    pub pointer_type: Option<PointerType>,
    /// Description for people, at most 2,000 characters.
    pub description: Option<String>,
    /// Metadata as a JSON object, chosen by the client.
    pub meta: Option<JsonObject>,
}

/// The longest reason and description, in characters.
const MAX_TEXT: usize = 2_000;

impl PointerService<'_> {
    /// Makes a pointer, or changes what is said of one, and says whether it is new. An existing pointer is only ever
    /// moved by [`PointerService::advance`].
    pub async fn put(self, name: &PointerName, draft: PointerDraft) -> Result<(Pointer, bool)> {
        check_text("description", draft.description.as_deref())?;
        let change =
            PointerPatch { pointer_type: draft.pointer_type, description: draft.description, meta: draft.meta };
        let mut tx = self.app.store.write().await?;
        if let Some(manifest) = draft.manifest
            && tx.manifests(self.scope).get(manifest).await?.is_none()
        {
            return Err(manifests::not_found(manifest).with_field("manifest_sha256").into());
        }
        let (pointer, new) = loop {
            if let Some(pointer) = tx.pointers(self.scope).create(name, draft.manifest, &change).await? {
                break (pointer, true);
            }
            // Between the two it may have been deleted by someone else; then the name is free.
            if let Some(pointer) = tx.pointers(self.scope).update_details(name, &change).await? {
                break (pointer, false);
            }
        };
        if !new && draft.manifest.is_some() && draft.manifest != pointer.manifest {
            return Err(Problem::new(
                Code::PointerMoved,
                format!("the pointer '{name}' is there already and stands at another manifest; advance it instead"),
            )
            .with_field("manifest_sha256")
            .with_fact("current", pointer.manifest.map(|hash| hash.to_string()))
            .into());
        }
        tx.commit().await?;
        Ok((pointer, new))
    }

    /// Returns a pointer, or a not-found problem.
    pub async fn get(self, name: &PointerName) -> Result<Pointer> {
        let pointer = self.app.store.read().await?.pointers(self.scope).get(name).await?;
        pointer.ok_or_else(|| not_found(name).into())
    }

    /// Pointers in the order of their names.
    pub async fn list(self, filter: &PointerFilter, limit: Limit, after: Option<&Cursor>) -> Result<Page<Pointer>> {
        if let Some(namespace) = &filter.namespace {
            check_namespace(namespace)?;
        }
        Ok(self.app.store.read().await?.pointers(self.scope).list(filter, limit, after).await?)
    }

    /// Moves a pointer, if it stands where the caller believes.
    pub async fn advance(
        self,
        name: &PointerName,
        expected: Option<Sha256>,
        to: Sha256,
        reason: Option<&str>,
    ) -> Result<Pointer> {
        check_text("reason", reason)?;
        let mut tx = self.app.store.write().await?;
        if tx.manifests(self.scope).get(to).await?.is_none() {
            return Err(manifests::not_found(to).with_field("to").into());
        }
        let pointer = tx.pointers(self.scope).advance(name, expected, to, reason).await?;
        tx.commit().await?;
        Ok(pointer)
    }

    /// The moves of a pointer, newest first.
    pub async fn history(self, name: &PointerName, limit: Limit, after: Option<&Cursor>) -> Result<Page<PointerMove>> {
        let mut tx = self.app.store.read().await?;
        let mut pointers = tx.pointers(self.scope);
        let pointer = pointers.get(name).await?.ok_or_else(|| not_found(name))?;
        Ok(pointers.list_moves(pointer.id, limit, after).await?)
    }

    /// Deletes a pointer. What it named stays for the grace period of garbage collection.
    pub async fn delete(self, name: &PointerName) -> Result<()> {
        let mut tx = self.app.store.write().await?;
        if !tx.pointers(self.scope).delete(name).await? {
            return Err(not_found(name).into());
        }
        Ok(tx.commit().await?)
    }
}

fn check_text(field: &str, text: Option<&str>) -> Result<(), Problem> {
    let Some(text) = text else { return Ok(()) };
    if text.chars().count() > MAX_TEXT || text.contains('\0') {
        return Err(Problem::new(
            Code::InvalidField,
            format!("{field} takes at most {MAX_TEXT} characters and no NUL"),
        )
        .with_field(field));
    }
    Ok(())
}

fn not_found(name: &PointerName) -> Problem {
    Problem::new(Code::PointerNotFound, format!("there is no pointer '{name}'"))
}
