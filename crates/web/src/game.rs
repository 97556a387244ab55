//! Games between a person and an engine. They live on the server, in memory and on disk, so a reload, a second tab or a phone sees
//! the same game.

mod clock;
mod ending;
mod record;
mod session;
mod settings;
mod state;
mod thinking;
mod view;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use chess::Game;
use strength::metrics::Expectation;

pub(crate) use self::{
    record::GameStore,
    session::{GameServices, GameSession},
    settings::{NewGame, NewGameError},
    state::{GameRefusal, GameState},
    view::{ColorView, GameList, GameView, HintView},
};
use self::{
    record::{GameRecord, VERSION, now},
    view::GameSummary,
};
use crate::{error::ApiError, threads::locked};

/// Most games in memory at the same time; beyond it, idle games without a subscriber are only kept on disk.
const MOST_SESSIONS: usize = 64;
/// Most games that are read for one answer, the newest: each is a file.
const MOST_READ: usize = 2000;
/// Games that are read for a list of the usual length.
const USUAL_LIST: usize = 200;

/// The games of this server.
pub(crate) struct GameRegistry {
    services: GameServices,
    sessions: Mutex<HashMap<String, Arc<GameSession>>>,
}

impl GameRegistry {
    pub(crate) fn new(services: GameServices) -> Self {
        Self { services, sessions: Mutex::default() }
    }

    /// Starts a game. Blocks while it opens the network.
    pub(crate) fn start(&self, settings: NewGame) -> Result<Arc<GameSession>, ApiError> {
        let engines = &self.services.engines;
        let settings = settings.at_level(engines.as_ref())?;
        let game = settings.start()?;
        let network = if let Some(network) = &settings.network {
            network.clone()
        } else {
            let first = engines.networks().into_iter().next();
            first.ok_or_else(|| ApiError::failed("there is no network to play with"))?.id
        };
        let engine = engines.evaluator(&network)?.describe();
        let started = now();
        let seed = settings.seed.unwrap_or(started);
        let mut sessions = locked(&self.sessions);
        evict_idle(&mut sessions, GameSession::is_idle)?;
        let record = GameRecord {
            version: VERSION,
            id: self.services.store.free_id(started),
            started,
            person: settings.side(seed).into(),
            settings,
            network,
            engine,
            seed,
            moves: Vec::new(),
            clocks_ms: None,
            undone: 0,
            hints: 0,
            end: None,
        };
        let id = record.id.clone();
        let session = GameSession::open(self.services.clone(), record, game);
        sessions.insert(id, Arc::clone(&session));
        Ok(session)
    }

    /// The session of a game, opened from its file if it is not in memory.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<GameSession>, ApiError> {
        // Locked while the file is read: two requests that opened the same game would each get a session of their own, and the two
        // would overwrite each other's moves.
        let mut sessions = locked(&self.sessions);
        if let Some(session) = sessions.get(id) {
            return Ok(Arc::clone(session));
        }
        let record =
            self.services.store.load(id).map_err(|error| ApiError::failed(unreadable(id, &error)))?;
        let record = record.ok_or_else(|| ApiError::missing("game", id))?;
        let game = record.replay().map_err(|error| ApiError::failed(unreadable(id, &error)))?;
        evict_idle(&mut sessions, GameSession::is_idle)?;
        let session = GameSession::open(self.services.clone(), record, game);
        sessions.insert(id.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    /// The newest `most` games, the newest first, of these only those that reached `position`, if a key is given, and the problems
    /// with files that are not games.
    pub(crate) fn list(&self, most: Option<usize>, position: Option<u64>) -> Result<GameList, ApiError> {
        let most = most.unwrap_or(USUAL_LIST);
        if !(1..=MOST_READ).contains(&most) {
            let message = format!("most: found {most}, expected 1 to {MOST_READ}");
            return Err(ApiError::invalid("invalid_query", message));
        }
        let store = &self.services.store;
        let mut list = GameList { games: Vec::new(), problems: Vec::new() };
        for id in store.ids()?.iter().take(most) {
            let record = match store.load(id) {
                Ok(Some(record)) => record,
                // Deleted since the folder was read.
                Ok(None) => continue,
                Err(error) => {
                    list.problems.push(unreadable(id, &error));
                    continue;
                }
            };
            match position.map_or(Ok(true), |key| record.has_position(key)) {
                Ok(true) => list.games.push(GameSummary::new(&record)),
                Ok(false) => {}
                Err(error) => list.problems.push(unreadable(id, &error)),
            }
        }
        Ok(list)
    }

    /// Expected scores and results of a network in the games that it finished here without help for the person, and the number of
    /// games that cannot be read, which may include some of them. The list of games names the unreadable ones.
    pub(crate) fn expectations(&self, network: &str) -> Result<(Vec<Expectation>, usize), ApiError> {
        let store = &self.services.store;
        let (mut found, mut own_games, mut unreadable) = (Vec::new(), 0, 0);
        for id in store.ids()?.iter().take(MOST_READ) {
            match store.load(id) {
                Ok(Some(record)) if record.network == network && !record.has_help() => {
                    found.extend(record.expectations(own_games));
                    own_games += 1;
                }
                Ok(_) => {}
                Err(_) => unreadable += 1,
            }
        }
        Ok((found, unreadable))
    }
}

fn unreadable(id: &str, reason: &dyn std::error::Error) -> String {
    format!("cannot read game {id}: {reason}")
}

/// The game after moves in UCI notation, from the usual start if no position is given. The error names the part that is wrong.
pub(crate) fn replayed(fen: Option<&str>, moves: &[String]) -> Result<Game, String> {
    let mut game = match fen {
        Some(fen) => Game::from_any_fen(fen).map_err(|error| format!("fen: {error}"))?,
        None => Game::default(),
    };
    for (index, uci) in moves.iter().enumerate() {
        game.play_uci(uci).map_err(|error| format!("move {}: {error}", index + 1))?;
    }
    Ok(game)
}

/// Every game is on disk after each move, so an idle one can leave memory at any time, unless a request holds it: its game would be
/// read again for the next request, and the two would overwrite each other.
fn evict_idle<S>(
    sessions: &mut HashMap<String, Arc<S>>,
    is_idle: impl Fn(&S) -> bool,
) -> Result<(), ApiError> {
    if sessions.len() >= MOST_SESSIONS {
        sessions.retain(|_, session| Arc::strong_count(session) > 1 || !is_idle(session));
    }
    if sessions.len() >= MOST_SESSIONS {
        return Err(ApiError::new(
            axum::http::StatusCode::SERVICE_UNAVAILABLE,
            "too_many_games",
            format!("{MOST_SESSIONS} games are being played; try again when one has ended"),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_is_busy_or_held_stays_in_memory() {
        let mut sessions: HashMap<String, Arc<usize>> =
            (0..MOST_SESSIONS).map(|number| (number.to_string(), Arc::new(number))).collect();
        let held = Arc::clone(&sessions["7"]);
        evict_idle(&mut sessions, |number| *number != 3).unwrap();
        let mut left: Vec<&str> = sessions.keys().map(String::as_str).collect();
        left.sort_unstable();
        assert_eq!((left.as_slice(), *held), (["3", "7"].as_slice(), 7));
        for number in 0..MOST_SESSIONS {
            sessions.insert(number.to_string(), Arc::new(number));
        }
        assert!(evict_idle(&mut sessions, |_| false).is_err());
    }
}
