//! How fast a bundle with one large file is written and checked, against hashing the same bytes and nothing else, and
//! how much memory that takes: `evidence [MEGABYTES]`.

use std::{
    fs::File,
    io::{self, Read, Write},
    time::Instant,
};

use ibid_domain::{Sha256, Timestamp, hash::Hasher};
use ibid_evidence::{Bundle, BundleKind, FileRecord, FileRole, MessageRecord, TextFormat, verify_bundle, write_bundle};

/// A stream that repeats itself after a while.
struct Pattern(u64);

impl Read for Pattern {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for piece in buffer.chunks_mut(8) {
            self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            piece.copy_from_slice(&self.0.to_le_bytes()[..piece.len()]);
        }
        Ok(buffer.len())
    }
}

fn hash(mut from: impl Read) -> io::Result<Sha256> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// The most memory that was in use.
fn peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let megabytes: u64 = std::env::args().nth(1).map_or(Ok(200), |given| given.parse())?;
    let size = megabytes * 1_000_000;
    let folder = tempfile::tempdir()?;
    let (content, archive) = (folder.path().join("content"), folder.path().join("bundle.zip"));
    io::copy(&mut Pattern(1).take(size), &mut File::create(&content)?)?;

    let mut out = io::stdout().lock();
    let mut say = |what: &str, began: Instant| {
        let seconds = began.elapsed().as_secs_f64();
        writeln!(out, "{what:<28} {:>7.0} MB/s   peak {}", size as f64 / 1e6 / seconds, peak())
    };
    hash(File::open(&content)?)?;
    let began = Instant::now();
    let sha256 = hash(File::open(&content)?)?;
    say("SHA-256 of the file", began)?;
    let bundle = Bundle {
        kind: BundleKind::Message,
        created_at: Timestamp::from_micros(0),
        tool: "ibid".into(),
        message: MessageRecord {
            id: "m".into(),
            role: None,
            title: None,
            content: "Nothing is cited.".into(),
            format: TextFormat::Markdown,
            conversation_id: None,
            created_at: Timestamp::from_micros(0),
            model: None,
            run: None,
        },
        citations: Vec::new(),
        files: vec![FileRecord {
            sha256,
            size_bytes: size,
            media_type: "application/octet-stream".into(),
            name: None,
            role: FileRole::Artifact,
            open: Box::new(move || Ok(Box::new(File::open(&content)?))),
        }],
    };
    let began = Instant::now();
    write_bundle(&bundle, io::sink())?;
    say("writing the bundle, nowhere", began)?;
    let began = Instant::now();
    let written = write_bundle(&bundle, File::create(&archive)?)?;
    say("writing the bundle, to disk", began)?;
    let began = Instant::now();
    let report = verify_bundle(File::open(&archive)?, Some(written.digest))?;
    say("checking the bundle", began)?;
    assert!(report.is_sound(), "{:?}", report.faults);
    Ok(())
}
