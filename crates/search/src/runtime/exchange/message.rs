//! Messages between ranks: a checksum, then the contents.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The length of the checksum in front of each message.
pub(super) const CHECKSUM_BYTES: usize = 4;

/// An empty message, to which contents are appended.
pub(crate) fn empty_message() -> Vec<u8> {
    vec![0; CHECKSUM_BYTES]
}

/// A message that holds a value.
pub(crate) fn message_of(value: &impl Serialize) -> Vec<u8> {
    let mut message = empty_message();
    // Writing to memory fails only if a value cannot be encoded, such as a path that is not UTF-8. No message holds
    // such a path.
    let written = bincode::serde::encode_into_std_write(value, &mut message, bincode::config::standard());
    debug_assert!(written.is_ok());
    message
}

/// Encodes a value. If the value has a path that is not UTF-8, returns no bytes, which [`decode`] rejects.
pub(crate) fn encode(value: &impl Serialize) -> Vec<u8> {
    bincode::serde::encode_to_vec(value, bincode::config::standard()).unwrap_or_default()
}

/// Decodes a value; `None` if the bytes encode no value of this type.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    let (value, used) = bincode::serde::decode_from_slice(bytes, bincode::config::standard()).ok()?;
    (used == bytes.len()).then_some(value)
}

/// Sets the checksum of a message.
pub(super) fn with_checksum(mut message: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&message[CHECKSUM_BYTES..]);
    message[..CHECKSUM_BYTES].copy_from_slice(&checksum.to_le_bytes());
    message
}

/// The contents of a message; `None` if the checksum does not fit.
pub(super) fn contents(message: &[u8]) -> Option<&[u8]> {
    let (checksum, contents) = message.split_at_checked(CHECKSUM_BYTES)?;
    (crc32fast::hash(contents).to_le_bytes() == checksum).then_some(contents)
}
