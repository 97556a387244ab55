//! A player that is a UCI engine in a separate process.

use std::time::Duration;

use chess::{Game, Limits, StopSignal};
use protocol::{
    Go,
    process::{UciProcess, UciProcessConfig, UciProcessError, program_file},
};

use super::{Choice, MoveInfo, Player, PlayerError, no_legal_move};

/// Plays the moves of a UCI engine. An engine that crashes, hangs or moves illegally loses the game, and a new process is
/// started for the next one.
#[derive(Debug)]
pub struct UciPlayer {
    process: UciProcess,
}

impl UciPlayer {
    /// Starts the engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError::Start`] if it cannot be started, does not answer, or rejects an option or its value.
    pub fn start(config: &UciProcessConfig) -> Result<Self, PlayerError> {
        let process = UciProcess::spawn(config).map_err(|error| PlayerError::Start {
            player: config.command.clone(),
            reason: error.to_string(),
        })?;
        Ok(Self { process })
    }
}

/// The hash of the file of an engine's program ([`files::content_hash`]), or why there is none: two builds of
/// an engine may report the same name.
pub fn program_hash(command: &str) -> String {
    let Some(file) = program_file(command) else { return files::Inputs::GONE.into() };
    match files::content_hash(&file) {
        Ok(hash) => hash.unwrap_or_default(),
        Err(error) => error.to_string(),
    }
}

impl Player for UciPlayer {
    fn name(&self) -> &str {
        self.process.name()
    }

    fn be_patient(&mut self, patience: Duration, overrun: Duration) {
        self.process.be_patient(patience, overrun);
    }

    /// UCI has no seed: an engine's random choices (limited strength, several threads) differ from run to run.
    fn new_game(&mut self, _seed: u64) -> Result<(), PlayerError> {
        self.process.new_game().map_err(player_error)
    }

    fn choose(&mut self, game: &Game, limits: &Limits, stop: &StopSignal) -> Result<Choice, PlayerError> {
        if game.legal_moves().is_empty() {
            return Err(no_legal_move(game));
        }
        let go = Go::from_limits(limits, game.turn(), game.castling_mode());
        let answer = self.process.go_until(game, &go, stop, &mut |_info| ()).map_err(player_error)?;
        let info = answer.info();
        Ok(Choice {
            chess_move: answer.best,
            info: MoveInfo {
                score: info.and_then(|info| info.score).map(|score| score.score),
                wdl: info.and_then(|info| info.wdl).map(Into::into),
                depth: info.and_then(|info| info.depth),
                nodes: answer.nodes,
            },
        })
    }
}

fn player_error(error: UciProcessError) -> PlayerError {
    match error {
        UciProcessError::IllegalMove { engine, found, fen } => {
            PlayerError::IllegalMove { player: engine, found, fen }
        }
        UciProcessError::UnreadableMove { engine, found, fen } => {
            PlayerError::UnreadableMove { player: engine, found, fen }
        }
        UciProcessError::NoMove { engine, fen } => {
            PlayerError::IllegalMove { player: engine, found: "no move".into(), fen }
        }
        UciProcessError::Timeout { engine, after, .. } => PlayerError::Unresponsive {
            player: engine,
            waited: Duration::from_millis(after.as_millis() as u64),
        },
        UciProcessError::Spawn { ref command, .. } => {
            PlayerError::Start { player: command.clone(), reason: error.to_string() }
        }
        UciProcessError::Ended { ref engine, .. }
        | UciProcessError::UnknownOption { ref engine, .. }
        | UciProcessError::Option { ref engine, .. }
        | UciProcessError::Endless { ref engine } => {
            PlayerError::Crashed { player: engine.clone(), reason: error.to_string() }
        }
    }
}
