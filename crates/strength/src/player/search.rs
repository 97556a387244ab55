//! A player that searches in this process.

use chess::{Game, Limits, Search, StopSignal};

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// Plays the moves of a [`Search`].
pub struct SearchPlayer {
    name: String,
    search: Box<dyn Search>,
}

impl SearchPlayer {
    /// A player called `name` that plays the moves of `search`.
    pub fn new(name: impl Into<String>, search: Box<dyn Search>) -> Self {
        Self { name: name.into(), search }
    }
}

impl Player for SearchPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    /// The search's random choices (temperature, noise) follow its option `Seed` combined with `seed`.
    fn new_game(&mut self, seed: u64) -> Result<(), PlayerError> {
        self.search.new_game();
        self.search.reseed(seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, limits: &Limits, stop: &StopSignal) -> Result<Choice, PlayerError> {
        if game.legal_moves().is_empty() {
            return Err(no_legal_move(game));
        }
        let decision = self.search.run(game, limits, stop, &mut |_| ())?;
        let info = &decision.info;
        Ok(Choice {
            chess_move: decision.best,
            info: MoveInfo {
                score: info.judged_line().map(|line| line.score),
                wdl: info.judged_line().map(|line| line.wdl),
                depth: Some(info.depth),
                nodes: Some(info.nodes),
            },
        })
    }
}
