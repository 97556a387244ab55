//! Codes of openings.

/// An opening's code in the Encyclopaedia of Chess Openings: a letter from A to E and two digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Eco([u8; 3]);

impl Eco {
    /// Reads a code; `None` for anything else. What may follow it (`A00b`) is ignored.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let &[volume, tens, ones, ..] = text else { return None };
        let is_code = matches!(volume, b'A'..=b'E') && tens.is_ascii_digit() && ones.is_ascii_digit();
        is_code.then_some(Self([volume, tens, ones]))
    }

    /// The letter and the digits in ASCII.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Display for Eco {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|&byte| write!(formatter, "{}", char::from(byte)))
    }
}
