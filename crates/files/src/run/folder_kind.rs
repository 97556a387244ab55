//! The kinds of folders that commands fill.

use super::{
    CHECKPOINTS, GAMES_JOURNAL, GAMES_PGN, LEARNERS, MANIFEST, NETWORK, PERSONAL, REPLAY, REPLAY_RUN, REPORT,
};

/// A kind of folder. Its name is written into the folder when a command begins to fill it, so that a command of another kind refuses
/// the folder instead of replacing files in it.
#[derive(Debug, PartialEq, Eq)]
pub struct FolderKind {
    /// The kind in messages and in the folder.
    pub name: &'static str,
    /// Files or folders that show the kind of a folder into which no name was written: one of an older version, a store, personal games.
    pub signs: &'static [&'static str],
}

const GAMES: &[&str] = &[GAMES_JOURNAL, GAMES_PGN];

impl FolderKind {
    /// A training run.
    pub const TRAINING: Self = Self { name: "a training run", signs: &[CHECKPOINTS, NETWORK, LEARNERS] };
    /// A self-play run.
    pub const SELF_PLAY: Self = Self { name: "a self-play run", signs: &[REPLAY] };
    /// The games of a self-play run, which may be in a place of their own. It is recognised by its sign alone, as in a bucket.
    pub const REPLAY: Self = Self { name: "a replay store", signs: &[REPLAY_RUN] };
    /// A run of REINFORCE.
    pub const REINFORCE: Self = Self { name: "a run of reinforce", signs: &["00001.tabiya"] };
    /// A match or tournament.
    pub const MATCH: Self = Self { name: "a match", signs: GAMES };
    /// A climb against the levels of an engine.
    pub const LADDER: Self = Self { name: "a ladder", signs: GAMES };
    /// A calibration of strength.
    pub const CALIBRATION: Self = Self { name: "a calibration", signs: GAMES };
    /// A tuning of options.
    pub const TUNING: Self = Self { name: "a tuning", signs: GAMES };
    /// A page made from results of other commands.
    pub const REPORT: Self = Self { name: "a report", signs: &[REPORT] };
    /// A comparison of experiments.
    pub const COMPARISON: Self = Self { name: "a comparison", signs: &[] };
    /// A sample store.
    pub const STORE: Self = Self { name: "a sample store", signs: &[MANIFEST] };

    /// One person's games, which do not belong among files that are handed on.
    pub const PERSONAL: Self = Self { name: "personal games", signs: &[PERSONAL] };

    /// Kinds by whose signs a folder without a name is recognised; a match stands for all that record games.
    pub const RECOGNISED: [&Self; 8] = [
        &Self::STORE,
        &Self::TRAINING,
        &Self::SELF_PLAY,
        &Self::REINFORCE,
        &Self::MATCH,
        &Self::REPORT,
        &Self::REPLAY,
        &Self::PERSONAL,
    ];
}
