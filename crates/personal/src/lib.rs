//! The games of one person: a folder to which programs add games with the person's consent, and on which a
//! network is trained to imitate that person.
//!
//! ```text
//! personal.json    format, version, who besides `tabiya data personal add` may add games
//! games/ID.pgn     one game each; the person is "You", the other player "Opponent"
//! samples/HASH/    sample store of the person's moves in these games, made when it is first needed
//! ```
//! It keeps the moves, result, ratings and time control of a game, but not names, places, dates and comments. ID is the hash of
//! start and moves, so a game is kept once, however often it is added.

mod error;
mod games;
mod held_out;
mod samples;
mod store;
mod training;

pub use error::PersonalError;
pub use games::{AddedGames, PersonalGame};
pub use held_out::{HeldOutMoves, PERSON_FILE, PersonFile};
pub use samples::{HELD_OUT, LEAST_GAMES};
pub use store::PersonalStore;
pub use training::PersonalTraining;
