//! All games: those in memory, and those on disk that come back when somebody asks for them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    NewGame, NewGameError,
    record::{GameRecord, VERSION, now},
    room::{Room, Surroundings},
    view::GameSummary,
};
use crate::error::ApiError;

/// Most games in memory at the same time; beyond it, games nobody looks at go back to disk.
const MOST_ROOMS: usize = 64;
/// Most games in a list.
const LONGEST_LIST: usize = 200;

/// The games of this server.
pub(crate) struct Hall {
    surroundings: Surroundings,
    rooms: Mutex<HashMap<String, Arc<Room>>>,
}

impl Hall {
    pub(crate) fn new(surroundings: Surroundings) -> Self {
        Self { surroundings, rooms: Mutex::default() }
    }

    /// Starts a game. Opens the network, which may take a moment: not for a thread that must not wait.
    pub(crate) fn start(&self, settings: NewGame) -> Result<Arc<Room>, ApiError> {
        let game = settings
            .start()
            .map_err(|error: NewGameError| ApiError::invalid("invalid_game", error.to_string()))?;
        let engines = &self.surroundings.engines;
        let network = match &settings.network {
            Some(network) => network.clone(),
            None => {
                engines
                    .networks()
                    .into_iter()
                    .next()
                    .ok_or_else(|| ApiError::failed("there is no network to play with"))?
                    .id
            }
        };
        let engine = engines.evaluator(&network)?.describe();
        let started = now();
        let seed = settings.seed.unwrap_or(started);
        let mut rooms = self.rooms();
        make_space(&mut rooms)?;
        let record = GameRecord {
            version: VERSION,
            id: self.surroundings.store.free_id(started),
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
        let room = Room::open(self.surroundings.clone(), record, game);
        rooms.insert(id, Arc::clone(&room));
        Ok(room)
    }

    /// A game by its name.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Room>, ApiError> {
        let mut rooms = self.rooms();
        if let Some(room) = rooms.get(id) {
            return Ok(Arc::clone(room));
        }
        let unreadable = |reason: String| ApiError::failed(format!("game {id} cannot be read: {reason}"));
        let record = self.surroundings.store.load(id).map_err(|error| unreadable(error.to_string()))?;
        let record = record.ok_or_else(|| ApiError::missing("game", id))?;
        let game = record.replay().map_err(|error| unreadable(error.to_string()))?;
        make_space(&mut rooms)?;
        let room = Room::open(self.surroundings.clone(), record, game);
        rooms.insert(id.to_owned(), Arc::clone(&room));
        Ok(room)
    }

    /// All games, the newest first; files that are no games are left out.
    pub(crate) fn list(&self) -> Result<Vec<GameSummary>, ApiError> {
        let store = &self.surroundings.store;
        let ids =
            store.ids().map_err(|error| ApiError::failed(format!("games cannot be listed: {error}")))?;
        let records = ids.iter().filter_map(|id| store.load(id).ok().flatten());
        Ok(records.take(LONGEST_LIST).map(|record| GameSummary::new(&record)).collect())
    }

    fn rooms(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Room>>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Every game is on disk after each move, so an idle one can leave memory at any time.
fn make_space(rooms: &mut HashMap<String, Arc<Room>>) -> Result<(), ApiError> {
    if rooms.len() >= MOST_ROOMS {
        rooms.retain(|_, room| !room.is_idle());
    }
    if rooms.len() >= MOST_ROOMS {
        return Err(ApiError::new(
            axum::http::StatusCode::SERVICE_UNAVAILABLE,
            "too_many_games",
            format!("{MOST_ROOMS} games are being played; try again when one has ended"),
        ));
    }
    Ok(())
}
