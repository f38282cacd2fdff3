//! The bytes of artifacts: in a folder, or on anything that speaks S3.
//!
//! A blob's key is its tenant and its hash. Bytes always come in through a [`Spool`], a local file that is hashed
//! while it is written, because their key is not known before their end. From there they are put in place whole, so
//! a blob that can be seen is complete.

mod folder;
mod spool;

use std::{ops::Range, path::PathBuf, sync::Arc};

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream::BoxStream};
use ibid_domain::{Sha256, Timestamp};
use object_store::{
    GetOptions, GetRange, GetResultPayload, ObjectStore, ObjectStoreExt, WriteMultipart, aws::AmazonS3Builder,
    local::LocalFileSystem, path::Path,
};
use tokio::io::{AsyncReadExt, AsyncSeekExt};

pub use self::spool::Spool;
use crate::{Error, Result, Scope, disk_syncs::DiskSyncs, store::create_private_folder};

/// Location of the blobs of a library.
#[derive(Clone, Debug)]
pub enum BlobLocation {
    /// A folder on the local file system.
    Folder(PathBuf),
    /// A bucket of an S3-compatible server.
    S3(S3Options),
}

/// Connection settings of an S3 bucket; unset fields come from the usual `AWS_*` environment variables.
#[derive(Clone, Debug, Default)]
pub struct S3Options {
    pub bucket: String,
    /// Prefix of every key, so that libraries can share a bucket.
    pub prefix: String,
    /// The server, if it is not AWS.
    pub endpoint: Option<String>,
    pub region: Option<String>,
    pub access_key: Option<String>,
    pub secret_key: Option<String>,
}

/// Place where a library stores its artifacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobStoreKind {
    /// A folder of this machine.
    Folder,
    /// A bucket of an S3 service.
    S3,
}

impl BlobStoreKind {
    /// Both kinds, the default first.
    pub const ALL: [Self; 2] = [Self::Folder, Self::S3];

    /// Returns the name used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Folder => "folder",
            Self::S3 => "s3",
        }
    }
}

/// The blob store of a library.
#[derive(Clone)]
pub struct Blobs {
    objects: Arc<dyn ObjectStore>,
    /// Set when the objects are files, which are put in place by a rename instead of a copy.
    folder: Option<PathBuf>,
    prefix: Path,
    base_uri: String,
    spool: PathBuf,
    disk_syncs: DiskSyncs,
}

/// One blob, as a listing shows it.
#[derive(Clone, Copy, Debug)]
pub struct Blob {
    /// Its hash, going by its key.
    pub sha256: Sha256,
    pub size_bytes: u64,
    /// Time of the last write, as the blob store reports it.
    pub modified_at: Timestamp,
}

/// Pieces of a blob as they are read.
pub type BlobStream = BoxStream<'static, Result<Bytes>>;

/// Files are read in pieces of this size, objects are sent in parts of this size.
const PIECE: usize = 256 * 1024;
const PART: usize = 8 * 1024 * 1024;

impl Blobs {
    pub(crate) async fn open(location: &BlobLocation, spool: PathBuf, disk_syncs: DiskSyncs) -> Result<Self> {
        create_private_folder(&spool)?;
        match location {
            BlobLocation::Folder(root) => {
                create_private_folder(root)?;
                let root = root.canonicalize().map_err(Error::io(format!("open {}", root.display())))?;
                Ok(Self {
                    objects: Arc::new(LocalFileSystem::new_with_prefix(&root)?),
                    base_uri: format!("file://{}", root.display()),
                    folder: Some(root),
                    prefix: Path::default(),
                    spool,
                    disk_syncs,
                })
            }
            BlobLocation::S3(options) => {
                let mut builder = AmazonS3Builder::from_env().with_bucket_name(&options.bucket);
                if let Some(endpoint) = &options.endpoint {
                    builder = builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"));
                }
                if let Some(region) = &options.region {
                    builder = builder.with_region(region);
                }
                if let Some(key) = &options.access_key {
                    builder = builder.with_access_key_id(key);
                }
                if let Some(key) = &options.secret_key {
                    builder = builder.with_secret_access_key(key);
                }
                let prefix = Path::parse(&options.prefix)
                    .map_err(|error| Error::Config(format!("the prefix of the bucket is not legal: {error}")))?;
                Ok(Self {
                    objects: Arc::new(builder.build()?),
                    base_uri: format!("s3://{}", options.bucket),
                    folder: None,
                    prefix,
                    spool,
                    disk_syncs,
                })
            }
        }
    }

    /// Returns the kind of blob store.
    pub fn kind(&self) -> BlobStoreKind {
        if self.folder.is_some() { BlobStoreKind::Folder } else { BlobStoreKind::S3 }
    }

    /// Asks the store whether it answers.
    pub async fn ping(&self) -> Result<()> {
        if let Some(root) = &self.folder {
            return tokio::fs::metadata(root).await.map(drop).map_err(Error::io(format!("open {}", root.display())));
        }
        self.objects.list(Some(&self.prefix.clone().join("ping"))).next().await.transpose()?;
        Ok(())
    }

    /// A file to receive bytes whose hash is not known yet.
    pub async fn create_spool(&self) -> Result<Spool> {
        Spool::create(self.spool.clone(), self.disk_syncs.clone()).await
    }

    /// Removes what killed processes left in the spool, and says how many files and bytes that was.
    pub async fn sweep_spool(&self, remove: bool) -> Result<(u64, u64)> {
        spool::sweep_abandoned(self.spool.clone(), remove).await
    }

    /// Returns the address of a blob, for people and exports.
    pub fn uri(&self, scope: &Scope, sha256: Sha256) -> String {
        format!("{}/{}", self.base_uri, self.blob_key(scope, sha256))
    }

    /// Puts the bytes of a finished spool in their place. The spool stays, in case they have to be put there again.
    pub async fn store_spool(&self, scope: &Scope, spool: &Spool, sha256: Sha256) -> Result<()> {
        let key = self.blob_key(scope, sha256);
        if let Some(root) = &self.folder {
            return folder::link_spooled_file(spool.path(), root, key.as_ref(), &self.disk_syncs).await;
        }
        if self.size(scope, sha256).await? == Some(spool.size()) {
            return Ok(());
        }
        let mut file = tokio::fs::File::open(spool.path()).await.map_err(Error::io("open the spool"))?;
        if spool.size() <= PART as u64 {
            let mut bytes = Vec::with_capacity(usize::try_from(spool.size()).unwrap_or(PART));
            file.read_to_end(&mut bytes).await.map_err(Error::io("read the spool"))?;
            self.objects.put(&key, bytes.into()).await?;
            return Ok(());
        }
        let mut upload = WriteMultipart::new_with_chunk_size(self.objects.put_multipart(&key).await?, PART);
        loop {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece).await.map_err(Error::io("read the spool"))?;
            if read == 0 {
                break;
            }
            piece.truncate(read);
            upload.wait_for_capacity(2).await?;
            upload.put(piece.into());
        }
        upload.finish().await?;
        Ok(())
    }

    /// The size of a blob, if it is there.
    pub async fn size(&self, scope: &Scope, sha256: Sha256) -> Result<Option<u64>> {
        match self.objects.head(&self.blob_key(scope, sha256)).await {
            Ok(meta) => Ok(Some(meta.size)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a blob, or a range of it; `None` if it is not there.
    pub async fn read(&self, scope: &Scope, sha256: Sha256, range: Option<Range<u64>>) -> Result<Option<BlobStream>> {
        // An empty range is not an error to us, though it is one to the stores below.
        if range.as_ref().is_some_and(Range::is_empty) {
            return Ok(self.size(scope, sha256).await?.map(|_| futures::stream::empty().boxed()));
        }
        let options = GetOptions::new().with_range(range.map(GetRange::Bounded));
        match self.objects.get_opts(&self.blob_key(scope, sha256), options).await {
            Ok(got) => {
                let range = got.range.clone();
                Ok(Some(match got.payload {
                    GetResultPayload::File(file, _) => file_stream(file, range).boxed(),
                    GetResultPayload::Stream(stream) => stream.map_err(Error::from).boxed(),
                }))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a blob; one that is gone already is no error.
    pub async fn delete(&self, scope: &Scope, sha256: Sha256) -> Result<()> {
        match self.objects.delete(&self.blob_key(scope, sha256)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Every blob of a tenant. Keys that are not ours are left alone.
    pub fn list(&self, scope: &Scope) -> impl Stream<Item = Result<Blob>> + use<> {
        let prefix = self.prefix.clone().join(scope.tenant().to_string());
        self.objects.list(Some(&prefix)).map_err(Error::from).try_filter_map(|meta| async move {
            let Some(sha256) = meta.location.filename().and_then(|name| name.parse().ok()) else { return Ok(None) };
            let modified_at = Timestamp::from_micros(meta.last_modified.timestamp_micros());
            Ok(Some(Blob { sha256, size_bytes: meta.size, modified_at }))
        })
    }

    /// Blobs are spread over 256 folders a tenant, so that none grows too large to list.
    fn blob_key(&self, scope: &Scope, sha256: Sha256) -> Path {
        let name = sha256.to_string();
        self.prefix.clone().join(scope.tenant().to_string()).join(name[..2].to_owned()).join(name)
    }
}

fn file_stream(file: std::fs::File, range: Range<u64>) -> impl Stream<Item = Result<Bytes>> {
    let file = tokio::fs::File::from_std(file);
    futures::stream::try_unfold((file, range.start, range.end, true), |(mut file, at, end, first)| async move {
        if first {
            file.seek(std::io::SeekFrom::Start(at)).await.map_err(Error::io("read a blob"))?;
        }
        let want = usize::try_from(end - at).unwrap_or(PIECE).min(PIECE);
        if want == 0 {
            return Ok(None);
        }
        let mut piece = vec![0; want];
        let read = file.read(&mut piece).await.map_err(Error::io("read a blob"))?;
        if read == 0 {
            let short = std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
            return Err(Error::io("read a blob")(short));
        }
        piece.truncate(read);
        Ok(Some((Bytes::from(piece), (file, at + read as u64, end, false))))
    })
}
