//! Finished games as PGN.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

use chess::{
    Color, Score,
    pgn::{PgnDate, PgnGame, PgnResult, evaluation_comment},
};

use super::OngoingGame;
use crate::{challenge::User, event::GameState};

/// Evaluation of one of the bot's moves, from the bot's point of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MoveScore {
    /// Moves of the game before it.
    pub(super) ply: usize,
    pub(super) score: Score,
}

/// Result of a game from the fields of its state; `Unknown` for a status without a winner or a draw (aborted,
/// never started).
pub(super) fn result(state: &GameState) -> PgnResult {
    match (state.winner.as_deref(), state.status.as_str()) {
        (Some("white"), _) => PgnResult::won_by(Some(Color::White)),
        (Some("black"), _) => PgnResult::won_by(Some(Color::Black)),
        (_, "draw" | "stalemate" | "outoftime" | "timeout" | "insufficientMaterialClaim") => PgnResult::Draw,
        _ => PgnResult::Unknown,
    }
}

/// Writes the game to `FOLDER/ID.pgn`, completely or not at all.
pub(super) fn write(
    folder: &Path,
    site: &str,
    ongoing: &OngoingGame,
    scores: &[MoveScore],
) -> io::Result<PathBuf> {
    let id: String = ongoing.full().id.chars().filter(char::is_ascii_alphanumeric).collect();
    if id.is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the game has no id"));
    }
    fs::create_dir_all(folder)?;
    let file = folder.join(format!("{id}.pgn"));
    files::write(&file, pgn(site, ongoing, scores))?;
    Ok(file)
}

fn pgn(site: &str, ongoing: &OngoingGame, scores: &[MoveScore]) -> String {
    let (full, state) = (ongoing.full(), ongoing.state());
    let mut pgn = PgnGame::new(ongoing.game());
    let mode = if full.rated { "Rated" } else { "Casual" };
    pgn.event = format!("{mode} {} game", full.speed);
    pgn.site = format!("{site}/{}", full.id);
    pgn.date = Some(PgnDate::from_utc(SystemTime::now()));
    pgn.round = "-".into();
    (pgn.white, pgn.black) = (name(&full.white), name(&full.black));
    pgn.result = result(state);
    for (tag, user) in [("WhiteElo", &full.white), ("BlackElo", &full.black)] {
        if let Some(rating) = user.rating {
            pgn = pgn.tag(tag, rating.to_string());
        }
    }
    for (tag, user) in [("WhiteTitle", &full.white), ("BlackTitle", &full.black)] {
        if let Some(title) = &user.title {
            pgn = pgn.tag(tag, title.clone());
        }
    }
    if let Some(clock) = full.clock {
        pgn = pgn.tag("TimeControl", format!("{}+{}", clock.initial / 1000, clock.increment / 1000));
    }
    pgn = pgn.tag("Termination", state.status.clone());
    pgn.comments = vec![String::new(); ongoing.game().ply()];
    for score in scores {
        // Moves that were taken back are not in the game.
        if let Some(comment) = pgn.comments.get_mut(score.ply) {
            *comment = evaluation_comment(score.score, ongoing.side());
        }
    }
    pgn.to_string()
}

fn name(user: &User) -> String {
    if user.name.is_empty() { "?".into() } else { user.name.clone() }
}
