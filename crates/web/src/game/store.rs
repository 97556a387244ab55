//! The folder of games: for each game a JSON file to continue from and a PGN for other programs, both rewritten after
//! every move.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use chess::Game;

use super::record::GameRecord;

/// Folder of the records of games.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Writes both files, each whole or not at all.
    pub(super) fn keep(&self, record: &GameRecord, game: &Game) -> io::Result<()> {
        let json = serde_json::to_vec(record).map_err(io::Error::other)?;
        self.write(&record.id, "json", &json)?;
        self.write(&record.id, "pgn", record.pgn(game).as_bytes())
    }

    /// The record of a game; `None` if no game has this id.
    pub(super) fn load(&self, id: &str) -> io::Result<Option<GameRecord>> {
        if !is_id(id) {
            return Ok(None);
        }
        let text = files::if_there(files::read_text(&self.path(id, "json")))?;
        text.map(|text| serde_json::from_str(&text).map_err(io::Error::other)).transpose()
    }

    /// The names of all games, newest first.
    pub(super) fn ids(&self) -> io::Result<Vec<String>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            let stem = path.file_stem().and_then(|stem| stem.to_str()).filter(|stem| is_id(stem));
            if let Some(stem) = stem.filter(|_| path.extension().is_some_and(|kind| kind == "json")) {
                ids.push(stem.to_owned());
            }
        }
        // The name begins with the start time, with the same number of digits until the year 2286.
        ids.sort_unstable_by(|first, second| second.cmp(first));
        Ok(ids)
    }

    /// A name that no game has yet.
    pub(super) fn free_id(&self, started: u64) -> String {
        let mut number = 1_u32;
        loop {
            let id = format!("{started}-{number}");
            if !self.path(&id, "json").exists() && !self.path(&id, "pgn").exists() {
                return id;
            }
            number += 1;
        }
    }

    fn write(&self, id: &str, kind: &str, bytes: &[u8]) -> io::Result<()> {
        files::write_private(&self.path(id, kind), bytes)
    }

    fn path(&self, id: &str, kind: &str) -> PathBuf {
        Path::new(&self.folder).join(format!("{id}.{kind}"))
    }
}

/// Ids are digits and hyphens, so none leads out of the folder.
fn is_id(text: &str) -> bool {
    (1..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_no_games() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret.json"), "{}").unwrap();
        let store = Store::new(folder.path().join("games"));
        fs::create_dir(folder.path().join("games")).unwrap();
        for id in ["../secret", "", "secret", "/etc/passwd", "..%2fsecret", &"1".repeat(41)] {
            assert!(store.load(id).unwrap().is_none(), "{id}");
        }
        assert!(store.ids().unwrap().is_empty());
    }
}
