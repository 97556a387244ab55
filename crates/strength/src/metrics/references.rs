//! A table of positions with the moves of people and of two references, for [`super::agreement`].

use std::io;

use chess::{Game, Move, StopSignal, notation::print_uci_move};
use serde::{Deserialize, Serialize};

use super::positions::PlayedPosition;
use crate::{
    matches::Contestant,
    panel::{Panel, PanelError, Reply},
    player::PlayerError,
};

/// Positions per part: each reference answers a part before the other does, and a part is saved when both
/// have. A kill loses at most one part; each part starts the references again. Chosen.
const AT_ONCE: usize = 256;

/// A position with everybody's move, UCI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "self-explanatory fields")]
pub struct ReferenceRow {
    /// Number of the game in its file, from 0.
    pub game: usize,
    /// Half-moves before the position.
    pub ply: usize,
    pub fen: String,
    /// The move that was played in the game.
    pub human: String,
    pub first: String,
    pub second: String,
    /// Ratings of White and Black.
    pub ratings: Option<[u16; 2]>,
}

impl ReferenceRow {
    /// Names of the columns as CSV.
    pub const HEADING: &str = "game_id,ply,fen,human_move,first_move,second_move,white_rating,black_rating";

    /// The cells as CSV; unknown ratings are empty.
    pub fn csv(&self) -> String {
        let Self { game, ply, fen, human, first, second, ratings } = self;
        let [white, black] = match ratings {
            Some(ratings) => ratings.map(|rating| rating.to_string()),
            None => Default::default(),
        };
        format!("{game},{ply},{fen},{human},{first},{second},{white},{black}")
    }
}

/// Errors of the references while they choose moves.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields hold")]
pub enum ReferenceError {
    #[error(transparent)]
    Panel(#[from] PanelError),
    #[error("{player} failed in {fen}: {error}")]
    Failed { player: String, fen: String, error: Box<PlayerError> },
    #[error("cannot keep a row: {0}")]
    Keep(#[from] io::Error),
}

/// A position with its number in the table.
struct Question<'a> {
    number: u64,
    position: &'a PlayedPosition,
    /// The position without its history.
    game: Game,
}

/// Two players whose moves are references, with their settings.
pub struct References<'a> {
    /// The players, with their limits.
    pub players: [&'a Contestant; 2],
    /// Positions that one reference searches in parallel.
    pub threads: usize,
    /// Signal that ends the questions.
    pub stop: &'a StopSignal,
    /// Called for each answer: twice for a position.
    pub observe: &'a (dyn Fn() + Sync),
}

impl References<'_> {
    /// Searches the positions from number `done` on with both references; `keep` receives the rows in order.
    /// The references get positions without history, like the players compared with them; an answer depends
    /// only on the position and its number.
    ///
    /// # Errors
    /// [`ReferenceError`]; the rows before it were kept.
    pub fn ask(
        &self,
        positions: &[PlayedPosition],
        done: usize,
        keep: &mut dyn FnMut(ReferenceRow) -> io::Result<()>,
    ) -> Result<(), ReferenceError> {
        let mut questions = Vec::new();
        for (number, position) in (0..).zip(positions).skip(done) {
            questions.push(Question { number, position, game: without_history(position) });
        }
        for part in questions.chunks(AT_ONCE) {
            let [first, second] = [self.moves(self.players[0], part)?, self.moves(self.players[1], part)?];
            for (index, Question { position, game, .. }) in part.iter().enumerate() {
                let mode = game.castling_mode();
                keep(ReferenceRow {
                    game: position.game_number,
                    ply: position.facts.ply,
                    fen: game.fen(),
                    human: print_uci_move(position.played, mode),
                    first: print_uci_move(first[index], mode),
                    second: print_uci_move(second[index], mode),
                    ratings: position.facts.ratings,
                })?;
            }
        }
        Ok(())
    }

    fn moves(&self, player: &Contestant, questions: &[Question<'_>]) -> Result<Vec<Move>, ReferenceError> {
        let panel =
            Panel { contestant: player, threads: self.threads, stop: self.stop, observe: self.observe };
        let answers = panel.ask(questions, |player, limits, question: &Question<'_>| {
            // The panel seeds a question by its number in the part. This number is that in the table, so an answer is the same
            // however often the table was interrupted.
            player.new_game(question.number)?;
            Ok(player.choose(&question.game, limits, self.stop)?.chess_move)
        })?;
        let mut moves = Vec::with_capacity(questions.len());
        for (reply, question) in answers.replies.into_iter().zip(questions) {
            match reply {
                Reply::Answer(chess_move) => moves.push(chess_move),
                Reply::Failure(error) => {
                    let (player, error) = (player.name.clone(), Box::new(error));
                    return Err(ReferenceError::Failed { player, fen: question.game.fen(), error });
                }
            }
        }
        Ok(moves)
    }
}

/// The row's position as a table stores it.
pub fn fen_of(position: &PlayedPosition) -> String {
    without_history(position).fen()
}

fn without_history(position: &PlayedPosition) -> Game {
    Game::from_position(position.game.position().clone(), position.game.castling_mode())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{
        metrics::agreement::{AgreementColumns, AgreementPosition, AgreementTable, read_positions},
        metrics::positions::{Take, read_played},
        player::{FIRST, RANDOM},
    };

    const GAMES: &str = "[WhiteElo \"1510\"]\n[BlackElo \"1580\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. O-O *\n\n\
        [Result \"*\"]\n\n1. d4 d5 2. c4 *\n";

    fn positions() -> Vec<PlayedPosition> {
        positions_of(GAMES)
    }

    fn positions_of(games: &str) -> Vec<PlayedPosition> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), games).unwrap();
        read_played(file.path(), Take { per_game: 100, sample: None }, |_| true).unwrap().positions
    }

    fn rows(positions: &[PlayedPosition], done: usize) -> Vec<ReferenceRow> {
        let first = Contestant::new("first", || Ok(FIRST.build()));
        let second = Contestant::new("random", || Ok(RANDOM.build()));
        let asked = std::sync::atomic::AtomicUsize::new(0);
        let observe = || {
            asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let stop = StopSignal::default();
        let references =
            References { players: [&first, &second], threads: 2, stop: &stop, observe: &observe };
        let mut rows = Vec::new();
        references
            .ask(positions, done, &mut |row| {
                rows.push(row);
                Ok(())
            })
            .unwrap();
        assert_eq!(asked.into_inner(), 2 * (positions.len() - done));
        rows
    }

    #[test]
    fn a_table_is_read_as_it_was_written_and_goes_on_where_it_ended() {
        let positions = positions();
        let whole = rows(&positions, 0);
        assert_eq!(whole.len(), 10);
        assert_eq!((whole[6].human.as_str(), whole[6].ply, whole[6].game), ("e1g1", 6, 0));
        assert_eq!((whole[7].ratings, whole[0].ratings), (None, Some([1510, 1580])));
        for done in [1, 4, 9] {
            assert_eq!(rows(&positions, done), whole[done..], "also the random moves");
        }
        let file = tempfile::NamedTempFile::new().unwrap();
        let lines: Vec<String> = whole.iter().map(ReferenceRow::csv).collect();
        std::fs::write(file.path(), format!("{}\n{}\n", ReferenceRow::HEADING, lines.join("\n"))).unwrap();
        let [group, fen, first, second, human] =
            ["game_id", "fen", "first_move", "second_move", "human_move"].map(String::from);
        let ratings = ["white_rating", "black_rating"].map(String::from).to_vec();
        let columns = AgreementColumns { group, fen, first, second, others: vec![human], ratings };
        let read = read_positions(file.path(), &columns, None).unwrap().found;
        let ratings: Vec<Option<u16>> = read.iter().map(|position| position.rating).collect();
        assert_eq!((ratings[0], ratings[7]), (Some(1545), None));
        let firsts: Vec<Move> = read.iter().map(|position| position.first).collect();
        let people: Vec<Move> = read.iter().map(|position| position.others[0].1).collect();
        assert_eq!(people, positions.iter().map(|position| position.played).collect::<Vec<_>>());
        let rows = AgreementPosition::rows(&read, &firsts);
        assert_eq!(AgreementTable::new("first", &rows).unwrap().first.value, 1.0);
    }

    /// The references were asked as in orthodox chess, where castling is the king's step.
    #[test]
    fn positions_of_chess960_stay_such() {
        let fen = "nrk1brqn/ppppbppp/4p3/8/8/4P3/PPPPBPPP/NRK1BRQN w KQkq - 2 3";
        let positions = positions_of(&format!("[FEN \"{fen}\"]\n\n3. O-O-O *\n"));
        assert!(without_history(&positions[0]).castling_mode().is_chess960());
        let row = rows(&positions, 0).remove(0);
        assert_eq!((row.human.as_str(), row.fen.as_str()), ("c1b1", fen));
        let game = without_history(&positions[0]);
        let castling = positions[0].played;
        let step = AgreementPosition {
            group: String::new(),
            game,
            first: castling,
            second: castling,
            others: Vec::new(),
            rating: None,
        };
        assert_eq!(AgreementPosition::rows(&[step], &[castling])[0].played, "c1b1");
    }

    #[test]
    fn a_reference_that_fails_is_named_and_what_was_kept_stays() {
        let positions = positions();
        let good = Contestant::new("first", || Ok(FIRST.build()));
        let broken = Contestant::new("broken", || {
            Err(PlayerError::Start { player: "broken".into(), reason: "no such engine".into() })
        });
        let stop = StopSignal::default();
        let references = References { players: [&good, &broken], threads: 1, stop: &stop, observe: &|| () };
        let kept = Cell::new(0);
        let error = references
            .ask(&positions, 0, &mut |_| {
                kept.set(kept.get() + 1);
                Ok(())
            })
            .unwrap_err();
        assert!(error.to_string().contains("no such engine") && kept.get() == 0, "{error}");
        stop.stop();
        let references = References { players: [&good, &good], ..references };
        let error = references.ask(&positions, 0, &mut |_| Ok(())).unwrap_err();
        assert!(matches!(error, ReferenceError::Panel(PanelError::Interrupted)), "{error}");
    }
}
