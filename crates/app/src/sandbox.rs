//! A child process of this program that does dangerous work: it reads files of strangers, or compiles what people write.
//!
//! The child gets none of the server's secrets (its environment is cleared), speaks only through its pipes, bounds its own
//! memory and processor time, and is killed when its handle is dropped.

use std::{path::Path, process::Stdio, time::Duration};

use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::{Error, Result};

/// A running child with both ends of its pipes.
pub(crate) struct SandboxedChild {
    pub(crate) process: Child,
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
}

impl SandboxedChild {
    /// Starts this program with a hidden command. Of the environment only these variables are handed on.
    pub(crate) fn spawn(program: &Path, command: &str, variables: &[&str]) -> Result<Self> {
        let variables = variables.iter().filter_map(|name| Some((name, std::env::var_os(name)?)));
        let mut process = Command::new(program)
            .arg(command)
            .env_clear()
            .envs(variables)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(Error::internal(format!("start `{command}` in a child process")))?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(input), Some(output)) => Ok(Self { process, input, output }),
            _ => Err(Error::Unavailable { what: "a child process", source: None }),
        }
    }

    /// True if the child has not ended.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }
}

/// Lets other processes go first: nobody waits for this one, a child, as one waits for an answer.
pub(crate) fn lower_priority_of_this_process() {
    let _ = rustix::process::setpriority_process(None, BACKGROUND_PRIORITY);
}

/// From -20, the first, to 19, the last; 0 is usual.
const BACKGROUND_PRIORITY: i32 = 10;

/// Takes from this process, a child, the right to more memory and processor time.
pub(crate) fn limit_this_process(memory_bytes: u64, processor_time: Option<Duration>) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let processor_seconds = processor_time.map(|time| (Resource::Cpu, time.as_secs().max(1)));
    for (resource, value) in [(Resource::As, memory_bytes), (Resource::Core, 0)].into_iter().chain(processor_seconds) {
        // Where the system refuses, the parent's clock still bounds the child.
        let _ = setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    }
}
