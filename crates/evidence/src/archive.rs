//! The file that is checked: read at any place, never beyond its end, and never by what it claims of itself.

use std::io::{self, Read, Seek, SeekFrom};

use ibid_domain::{Sha256, hash::Hasher};

use crate::PIECE;

/// An archive of a known length.
pub(crate) struct BundleArchive<R> {
    inner: R,
    len: u64,
}

impl<R: Read + Seek> BundleArchive<R> {
    pub(crate) fn new(mut inner: R) -> io::Result<Self> {
        let len = inner.seek(SeekFrom::End(0))?;
        Ok(Self { inner, len })
    }

    /// Returns the length of the archive in bytes.
    pub(crate) const fn len(&self) -> u64 {
        self.len
    }

    /// The bytes from a place on: so many, or fewer at the end. For headers, names and records.
    pub(crate) fn read_at(&mut self, place: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut from = self.stream_from(place, length)?;
        let mut bytes = Vec::with_capacity(from.limit().min(PIECE as u64) as usize);
        from.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns a reader of at most `length` bytes from a position on.
    pub(crate) fn stream_from(&mut self, place: u64, length: u64) -> io::Result<io::Take<&mut R>> {
        let left = self.len.saturating_sub(place);
        self.inner.seek(SeekFrom::Start(place.min(self.len)))?;
        Ok((&mut self.inner).take(length.min(left)))
    }

    /// The check and the hash of so many bytes, or of fewer at the end.
    pub(crate) fn checksum_at(&mut self, place: u64, length: u64) -> io::Result<(u32, Sha256)> {
        let (mut crc, mut hasher) = (crc32fast::Hasher::new(), Hasher::default());
        read_pieces(&mut self.stream_from(place, length)?, length, |piece| {
            crc.update(piece);
            hasher.update(piece);
            Ok::<_, io::Error>(())
        })?;
        Ok((crc.finalize(), hasher.finish()))
    }
}

/// Reads to the end, a piece at a time, and says how many bytes there were; about so many are expected.
pub(crate) fn read_pieces<E: From<io::Error>>(
    from: &mut impl Read,
    expected: u64,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<u64, E> {
    let mut buffer = vec![0; expected.clamp(1, PIECE as u64) as usize];
    let mut length = 0;
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(length),
            Ok(count) => {
                each(&buffer[..count])?;
                length += count as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}
