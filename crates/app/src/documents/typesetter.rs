//! Setting documents in a process of their own, so that no text can hold up or bring down the server.
//!
//! The parent starts `ibid typeset`, sends orders and gets pages back, each as a length and then `postcard`. The child has
//! a bound on its memory, none of the server's secrets in its environment and no file to open; it stays, so that a text
//! that was edited is set again from what is known of it, and is ended when an order takes too long.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    io::{Read, Write},
    path::PathBuf,
    time::Duration,
};

use futures::future::BoxFuture;
use ibid_documents::render_pool::{RenderError, RenderOutput, RenderRequest, TypesetterPool};
use ibid_domain::{Code, Problem};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Mutex,
};

use crate::{
    Error, Result, run_blocking,
    sandbox::{SandboxedChild, limit_this_process},
};

/// The most memory that setting may take, in bytes of address space.
const MAX_MEMORY: u64 = 3 << 30;
/// The most that goes one way at once.
const MAX_FRAME: usize = 256 << 20;
/// Stack size of the child's thread in bytes; large, because deeply nested texts recurse.
const STACK: usize = 256 << 20;

/// Renders documents with Typst.
pub trait Typesetter: Send + Sync {
    /// Does an order. The outer error is the server's or says that it was too much, the inner one is the text's.
    fn typeset(&self, order: RenderRequest) -> BoxFuture<'_, Result<Result<RenderOutput, RenderError>>>;
}

/// Sets in this process: for tools that are at nobody's service.
#[derive(Default)]
pub struct InProcessTypesetter {
    room: std::sync::Arc<std::sync::Mutex<TypesetterPool>>,
}

impl Typesetter for InProcessTypesetter {
    fn typeset(&self, order: RenderRequest) -> BoxFuture<'_, Result<Result<RenderOutput, RenderError>>> {
        let room = self.room.clone();
        Box::pin(async move {
            let render = move || room.lock().unwrap_or_else(std::sync::PoisonError::into_inner).render(order);
            Ok(run_blocking(render).await?)
        })
    }
}

/// Sets in processes of their own.
pub struct SandboxedTypesetter {
    program: PathBuf,
    timeout: Duration,
    seats: [Mutex<Option<SandboxedChild>>; 2],
}

/// Variables that a child needs to start. It reads no files.
const CHILD_VARIABLES: &[&str] = &["PATH", "LD_LIBRARY_PATH", "LANG"];

impl SandboxedTypesetter {
    /// Renders with children of a program that takes `typeset` as its argument; a request may take so long.
    pub fn new(program: PathBuf, timeout: Duration) -> Self {
        Self { program, timeout, seats: [Mutex::new(None), Mutex::new(None)] }
    }

    async fn render_with(
        &self,
        seat: &mut Option<SandboxedChild>,
        order: &[u8],
    ) -> Result<Result<RenderOutput, RenderError>> {
        let known = seat.take().and_then(|mut known| known.is_running().then_some(known));
        let spawn = || SandboxedChild::spawn(&self.program, "typeset", CHILD_VARIABLES);
        let mut working = known.map_or_else(spawn, Ok)?;
        // Whatever ends this early ends the child too; the next order gets another.
        let said = tokio::time::timeout(self.timeout, send_request(&mut working, order)).await;
        let answer = match said {
            Err(_) => {
                let detail = format!("it was given up after {} seconds", self.timeout.as_secs());
                return Err(Problem::new(Code::DocumentTooDemanding, detail).into());
            }
            Ok(Err(error)) => {
                tracing::warn!(%error, "a typesetter process ended without an answer");
                let most = MAX_MEMORY >> 30;
                let detail = format!("setting it needs more than {most} GiB of memory, or it nests too deep");
                return Err(Problem::new(Code::DocumentTooDemanding, detail).into());
            }
            Ok(Ok(answer)) => answer,
        };
        *seat = Some(working);
        postcard::from_bytes(&answer).map_err(|error| Error::internal("read the answer of a typesetter process")(error))
    }
}

/// Sends a request to a child and waits for what it answers; both are a length and so many bytes.
async fn send_request(child: &mut SandboxedChild, order: &[u8]) -> std::io::Result<Vec<u8>> {
    child.input.write_u32_le(u32::try_from(order.len()).map_err(std::io::Error::other)?).await?;
    child.input.write_all(order).await?;
    child.input.flush().await?;
    let length = child.output.read_u32_le().await? as usize;
    if length > MAX_FRAME {
        return Err(std::io::Error::other("what was made is too large"));
    }
    let mut answer = vec![0; length];
    child.output.read_exact(&mut answer).await?;
    Ok(answer)
}

impl Typesetter for SandboxedTypesetter {
    fn typeset(&self, order: RenderRequest) -> BoxFuture<'_, Result<Result<RenderOutput, RenderError>>> {
        Box::pin(async move {
            let mut hasher = DefaultHasher::new();
            order.key.hash(&mut hasher);
            let own = hasher.finish() as usize % self.seats.len();
            let bytes = postcard::to_stdvec(&order).map_err(Error::internal("write to a typesetter process"))?;
            if bytes.len() > MAX_FRAME {
                let detail = format!("with its files it has {} bytes; at most {MAX_FRAME} are set", bytes.len());
                return Err(Problem::new(Code::DocumentTooDemanding, detail).into());
            }
            // A document goes where it is known, unless someone else takes long there.
            let seats = self.seats.iter().cycle().skip(own).take(self.seats.len());
            let free = seats.clone().find_map(|seat| seat.try_lock().ok());
            let mut seat = match (free, seats.clone().next()) {
                (Some(free), _) => free,
                (None, Some(seat)) => seat.lock().await,
                (None, None) => return Err(Error::Unavailable { what: "the typesetter", source: None }),
            };
            self.render_with(&mut seat, &bytes).await
        })
    }
}

/// Runs the child process: reads render requests from standard input and writes the output to standard output until the
/// input ends.
pub fn run_typeset_worker() -> std::io::Result<()> {
    limit_this_process(MAX_MEMORY, None);
    let work = || -> std::io::Result<()> {
        let mut room = TypesetterPool::default();
        let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
        let mut length = [0; 4];
        while input.read_exact(&mut length).is_ok() {
            let mut order = vec![0; (u32::from_le_bytes(length) as usize).min(MAX_FRAME)];
            input.read_exact(&mut order)?;
            let order: RenderRequest = postcard::from_bytes(&order).map_err(std::io::Error::other)?;
            let made = postcard::to_stdvec(&room.render(order)).map_err(std::io::Error::other)?;
            output.write_all(&u32::try_from(made.len()).map_err(std::io::Error::other)?.to_le_bytes())?;
            output.write_all(&made)?;
            output.flush()?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        worker.join().map_err(|_| std::io::Error::other("the thread that renders failed"))?
    })
}
