//! Fields of protocol buffers before they are decoded: an empty message takes two bytes in a file, which gzip makes a thousandth of, and a
//! hundred in memory.

use prost::encoding::decode_varint;

/// Most messages, texts and lists in a file. Chosen: the largest networks have some ten thousand.
pub(crate) const MOST_PARTS: usize = 1 << 20;

/// A kind of message: the fields that are messages, with their kinds.
pub(crate) struct Message(pub(crate) &'static [(u64, &'static Self)]);

impl Message {
    /// A message whose fields hold no lists of messages.
    pub(crate) const PLAIN: Self = Self(&[]);

    /// True if a message has more than [`MOST_PARTS`] fields with a length, those of the messages inside it included.
    pub(crate) fn has_too_many_parts(&'static self, bytes: &[u8]) -> bool {
        // A list of what is left to read instead of a recursion, which a file could make as deep as it is long.
        let (mut left, mut count) = (vec![(self, bytes)], 0);
        while let Some((message, mut rest)) = left.pop() {
            while let Some((key, content)) = next_field(&mut rest) {
                if key & 7 != 2 {
                    continue;
                }
                count += 1;
                if count > MOST_PARTS {
                    return true;
                }
                let inner = message.0.iter().find(|(number, _)| *number == key >> 3);
                left.extend(inner.map(|(_, inner)| (*inner, content)));
            }
        }
        false
    }
}

/// The key of the next field, with its number above three bits of its type, and its content, which is empty for an integer; `None` at the
/// end and before anything that is no field (<https://protobuf.dev/programming-guides/encoding>).
pub(crate) fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(u64, &'a [u8])> {
    let key = decode_varint(rest).ok()?;
    let length = match key & 7 {
        0 => decode_varint(rest).map(|_| 0).ok()?,
        1 => 8,
        2 => usize::try_from(decode_varint(rest).ok()?).ok()?,
        5 => 4,
        _ => return None,
    };
    let bytes = *rest;
    let (content, after) = bytes.split_at_checked(length)?;
    *rest = after;
    Some((key, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    static OUTER: Message = Message(&[(3, &OUTER)]);

    /// A field with a length below 128.
    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, content.len() as u8][..], content].concat()
    }

    #[test]
    fn parts_are_counted_at_every_depth_and_nothing_is_followed_elsewhere() {
        let many = field(1, &[]).repeat(MOST_PARTS);
        assert!(!OUTER.has_too_many_parts(&many));
        assert!(OUTER.has_too_many_parts(&[many.clone(), field(2, b"text")].concat()));
        let mut length = Vec::new();
        prost::encoding::encode_varint(many.len() as u64, &mut length);
        let inside = |number: u8| [&[number << 3 | 2][..], &length[..], &many[..]].concat();
        assert!(OUTER.has_too_many_parts(&inside(3)) && !OUTER.has_too_many_parts(&inside(4)));
    }

    #[test]
    fn fields_of_every_type_are_passed_and_damage_ends_them() {
        let bytes = [0x08, 0x96, 0x01, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, b'a', b'b', 0x25, 1, 2, 3, 4];
        let (mut rest, mut found) = (&bytes[..], Vec::new());
        while let Some((key, content)) = next_field(&mut rest) {
            found.push((key, content.len()));
        }
        assert_eq!(found, [(0x08, 0), (0x11, 8), (0x1a, 2), (0x25, 4)]);
        assert!(rest.is_empty());
        for damaged in [&[0x0b][..], &[0x1a, 3, 1], &[0xff], &[0x11, 1]] {
            let mut rest = damaged;
            assert_eq!(next_field(&mut rest), None);
        }
    }
}
