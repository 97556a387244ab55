//! Players of a game and the identity of its record.

use chess::Color;

/// The names of a game's players; `None` where the source has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Players {
    /// Name of the player with the white pieces.
    pub white: Option<String>,
    /// Name of the player with the black pieces.
    pub black: Option<String>,
}

impl Players {
    /// A name as written by sources; `None` for an empty one, `?` and `-`.
    pub fn known(name: &str) -> Option<String> {
        Some(name.trim()).filter(|name| !matches!(*name, "" | "?" | "-")).map(str::to_owned)
    }

    /// The name of the player who had this colour.
    pub fn of(&self, color: Color) -> Option<&str> {
        color.fold_wb(&self.white, &self.black).as_deref()
    }

    /// True if the player of this name had this colour; upper and lower case do not differ, as on Lichess.
    pub fn is(&self, name: &str, color: Color) -> bool {
        self.of(color).is_some_and(|known| known.to_lowercase() == name.to_lowercase())
    }
}

/// Hashes that identify a record apart from its moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Hash of its name in the source, such as a number.
    pub name: Option<u64>,
    /// Hash of the whole row of a table.
    pub row: Option<u64>,
}

impl Identity {
    /// The identity of a record by its name; an empty name does not identify it.
    pub fn named(name: &str) -> Self {
        let name = (!name.is_empty()).then(|| xxhash_rust::xxh3::xxh3_64(name.as_bytes()));
        Self { name, row: None }
    }
}
