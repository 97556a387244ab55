//! A sample in a form for people.

use std::fmt::Write as _;

use chess::{
    Chess, Move, Position as _, Score, Square,
    shakmaty::{EnPassantMode, fen::Fen, san::SanPlus},
};
use serde::Serialize;

use crate::{GameResult, Sample, Store, packed_move::PackedMove};

/// A sample for people and scripts. Values are seen by the side to move.
#[derive(Debug, Serialize)]
pub struct SampleView {
    fen: String,
    /// `None` if no move is known.
    best_move: Option<String>,
    best_move_uci: Option<String>,
    played_move: Option<String>,
    evaluation: Option<Score>,
    result: Option<&'static str>,
    ply: u16,
    white_rating: Option<u16>,
    black_rating: Option<u16>,
    repetitions: u8,
    slips: u8,
    history: usize,
    game: Option<String>,
    source: String,
    #[serde(skip)]
    position: Chess,
}

impl SampleView {
    /// A sample of the store, in notation for people.
    ///
    /// # Errors
    /// The problem of the sample, in words: an invalid position, move or source.
    pub fn new(store: &Store, sample: &Sample) -> Result<Self, String> {
        let game = sample.to_game().map_err(|error| error.to_string())?;
        let position = game.position().clone();
        let mode = game.castling_mode();
        let best = if sample.policy.is_unknown() { None } else { Some(unpack(sample.best_move, &position)?) };
        let sources = &store.manifest().sources;
        let source = sources.get(usize::from(sample.source)).ok_or("a source that the manifest lacks")?;
        let played = sample.played_move.map(|packed| unpack(packed, &position)).transpose()?;
        Ok(Self {
            fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
            best_move: best.map(|best| san(&position, best)),
            best_move_uci: best.map(|best| best.to_uci(mode).to_string()),
            played_move: played.map(|played| san(&position, played)),
            evaluation: sample.evaluation,
            result: sample.result.map(|result| match result {
                GameResult::Win => "win",
                GameResult::Draw => "draw",
                GameResult::Loss => "loss",
            }),
            ply: sample.ply,
            white_rating: sample.white_rating,
            black_rating: sample.black_rating,
            repetitions: sample.repetitions,
            slips: sample.slips,
            history: game.history().len(),
            game: sample.game.map(|game| format!("{game:016x}")),
            source: source.path.clone(),
            position,
        })
    }

    /// The sample as text: a board and one line per known field.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for rank in (0..8).rev() {
            let pieces = (0..8).map(|file| {
                let piece = self.position.board().piece_at(Square::new(rank * 8 + file));
                piece.map_or(" .".into(), |piece| format!(" {}", piece.char()))
            });
            let _ = writeln!(text, "{}{}", rank + 1, pieces.collect::<String>());
        }
        let _ = writeln!(text, "  a b c d e f g h\nFEN         {}", self.fen);
        let best = self.best_move.as_deref().zip(self.best_move_uci.as_deref());
        let best = best.map_or("unknown".into(), |(san, uci)| format!("{san} ({uci})"));
        let _ = write!(text, "best move   {best}");
        if let Some(played) = &self.played_move {
            let _ = write!(text, "; played {played}, a slip");
        }
        let evaluation = match self.evaluation {
            Some(Score::Centipawns(centipawns)) => format!("{:+.2} pawns", f64::from(centipawns) / 100.0),
            Some(Score::Mate(moves)) => format!("mate in {moves}"),
            None => "none".into(),
        };
        let [white_rating, black_rating] = [self.white_rating, self.black_rating]
            .map(|rating| rating.map_or("?".into(), |rating| rating.to_string()));
        let _ = write!(
            text,
            "\nevaluation  {evaluation} for the side to move\nresult      {} for the side to move\n\
             game        {}, ply {}, ratings {} and {}, {} slip(s) to come, {} earlier occurrence(s)\n\
             history     {} position(s)\nsource      {}\n",
            self.result.unwrap_or("unknown"),
            self.game.as_deref().unwrap_or("none"),
            self.ply,
            white_rating,
            black_rating,
            self.slips,
            self.repetitions,
            self.history,
            self.source,
        );
        text
    }
}

fn unpack(packed: PackedMove, position: &Chess) -> Result<Move, String> {
    packed.unpack(position).ok_or_else(|| format!("illegal move {:#06x}", packed.0))
}

fn san(position: &Chess, chess_move: Move) -> String {
    SanPlus::from_move(position.clone(), chess_move).to_string()
}
