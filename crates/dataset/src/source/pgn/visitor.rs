//! Builds one record from the tokens of a game.

use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

use chess::{
    Chess, Position,
    shakmaty::{EnPassantMode, fen::Fen},
};
use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::{
    annotation,
    movetext::NO_MOVE,
    tags::{self, Finding, Tags},
};
use crate::{
    record::{GameRecord, Identity, Place, RecordedMove},
    source::{BadReason, limits::MAX_PLIES, white_score::WhiteScore},
};

/// Comments are searched for annotations up to this length.
const MAX_COMMENT_BYTES: usize = 1 << 16;

/// A record whose place its source fills in.
pub(super) struct UnplacedGame(pub(super) GameRecord);

/// The state of the parser between games: nothing but reusable memory.
#[derive(Default)]
pub(super) struct GameVisitor {
    no_file: Arc<PathBuf>,
    comment: Vec<u8>,
}

/// A game while it is being read.
pub(super) struct Movetext {
    tags: Tags,
    start: Chess,
    /// Before the last move, where variations branch off.
    previous: Chess,
    position: Chess,
    /// Evaluation of `position`, once its comment was read.
    evaluation: Option<WhiteScore>,
    moves: Vec<RecordedMove>,
    depth: usize,
    /// True if the next move is the first one of the first variation after an evaluated position.
    expects_better: bool,
    outcome: Option<Outcome>,
}

type Read<T = ()> = ControlFlow<Result<UnplacedGame, Finding>, T>;

fn reject<T>(reason: BadReason, detail: String) -> Read<T> {
    ControlFlow::Break(Err(Finding { reason, detail }))
}

impl Visitor for GameVisitor {
    type Tags = Tags;
    type Movetext = Movetext;
    type Output = Result<UnplacedGame, Finding>;

    fn begin_tags(&mut self) -> Read<Tags> {
        self.comment.clear();
        ControlFlow::Continue(Tags::default())
    }

    fn tag(&mut self, tags: &mut Tags, name: &[u8], value: RawTag<'_>) -> Read {
        tags.read(name, value);
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Tags) -> Read<Movetext> {
        match tags.start() {
            Err(finding) => ControlFlow::Break(Err(finding)),
            Ok(start) => ControlFlow::Continue(Movetext {
                tags,
                previous: start.clone(),
                position: start.clone(),
                start,
                evaluation: None,
                moves: Vec::with_capacity(100),
                depth: 0,
                expects_better: false,
                outcome: None,
            }),
        }
    }

    fn san(&mut self, game: &mut Movetext, san: SanPlus) -> Read {
        if game.depth > 0 { game.variation_move(san) } else { game.main_move(san) }
    }

    fn partial_comment(&mut self, game: &mut Movetext, comment: RawComment<'_>) -> Read {
        if game.depth == 0 && self.comment.len() < MAX_COMMENT_BYTES {
            self.comment.extend_from_slice(comment.as_bytes());
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Movetext, comment: RawComment<'_>) -> Read {
        if game.depth > 0 {
            return ControlFlow::Continue(());
        }
        if let Some(word) = comment.as_bytes().strip_prefix(&[NO_MOVE]) {
            let (word, ply) = (annotation::printable(word), game.moves.len() + 1);
            let detail =
                format!("{word:?} as half-move {ply} is not a move; expected one such as Nf3, exd5 or O-O");
            return reject(BadReason::BadSyntax, detail);
        }
        if self.comment.is_empty() {
            return game.annotate(comment.as_bytes());
        }
        self.comment.extend_from_slice(comment.as_bytes());
        let read = game.annotate(&self.comment);
        self.comment.clear();
        read
    }

    fn begin_variation(&mut self, game: &mut Movetext) -> Read<Skip> {
        game.depth += 1;
        let labels = game.depth == 1
            && game.moves.last().is_some_and(|last| last.evaluation.is_some() && last.better.is_none());
        game.expects_better = labels;
        ControlFlow::Continue(Skip(!labels))
    }

    fn end_variation(&mut self, game: &mut Movetext) -> Read {
        game.depth = game.depth.saturating_sub(1);
        game.expects_better = false;
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Movetext, outcome: Outcome) -> Read {
        if game.depth == 0 && game.outcome.is_none() {
            game.outcome = Some(outcome);
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Movetext) -> Self::Output {
        game.finish(Arc::clone(&self.no_file))
    }
}

fn illegal(san: SanPlus, half_move: usize, position: &Chess, error: &str) -> Read {
    let fen = Fen::from_position(position, EnPassantMode::Legal);
    reject(BadReason::IllegalMove, format!("{san} as half-move {half_move} ({error}) in {fen}"))
}

impl Movetext {
    fn main_move(&mut self, san: SanPlus) -> Read {
        let played = match san.san.to_move(&self.position) {
            Ok(played) => played,
            Err(error) => return illegal(san, self.moves.len() + 1, &self.position, &error.to_string()),
        };
        if self.outcome.is_some() {
            return reject(BadReason::BadSyntax, format!("move {san} after the termination marker"));
        }
        if self.moves.len() == MAX_PLIES {
            return reject(BadReason::TooLong, format!("more than {MAX_PLIES} half-moves"));
        }
        let turn = self.position.turn();
        let evaluation = self.evaluation.take().map(|evaluation| evaluation.for_mover(turn));
        self.moves.push(RecordedMove { played, better: None, evaluation, clock_seconds: None });
        self.previous.clone_from(&self.position);
        self.position.play_unchecked(played);
        ControlFlow::Continue(())
    }

    /// Only the first move of a labelling variation matters; the others are commentary.
    fn variation_move(&mut self, san: SanPlus) -> Read {
        if !std::mem::take(&mut self.expects_better) {
            return ControlFlow::Continue(());
        }
        match san.san.to_move(&self.previous) {
            Ok(better) => {
                if let Some(last) = self.moves.last_mut()
                    && last.played != better
                {
                    last.better = Some(better);
                }
                ControlFlow::Continue(())
            }
            // The variation's move replaces the last move: it has the same number, and the position before it.
            Err(error) => illegal(san, self.moves.len(), &self.previous, &error.to_string()),
        }
    }

    fn annotate(&mut self, comment: &[u8]) -> Read {
        match annotation::parse(comment) {
            Err(detail) => reject(BadReason::BadAnnotation, detail),
            Ok(annotation) => {
                self.evaluation = annotation.evaluation.or(self.evaluation);
                if let Some(last) = self.moves.last_mut() {
                    last.clock_seconds = annotation.clock_seconds.or(last.clock_seconds);
                }
                ControlFlow::Continue(())
            }
        }
    }

    fn finish(self, no_file: Arc<PathBuf>) -> Result<UnplacedGame, Finding> {
        let finding = |reason, detail| Err(Finding { reason, detail });
        if self.depth > 0 {
            return finding(BadReason::BadSyntax, format!("{} variation(s) without end", self.depth));
        }
        let Some(outcome) = self.outcome else {
            let detail = format!("no 1-0, 0-1, 1/2-1/2 or * after {} half-moves", self.moves.len());
            return finding(BadReason::Unterminated, detail);
        };
        if self.moves.is_empty() {
            return finding(BadReason::NoMoves, format!("{outcome} without a move"));
        }
        let winner = match (tags::winner(outcome), self.tags.result.and_then(tags::winner)) {
            (Some(marker), Some(tag)) if marker != tag => {
                let tag = self.tags.result.map_or_else(String::new, |tag| tag.to_string());
                let detail = format!("tag Result is {tag}, the moves end with {outcome}");
                return finding(BadReason::ConflictingResult, detail);
            }
            (marker, tag) => marker.or(tag),
        };
        Ok(UnplacedGame(GameRecord {
            place: Place { file: no_file, line: 0 },
            start: self.start,
            moves: self.moves,
            winner,
            white_rating: self.tags.white_rating,
            black_rating: self.tags.black_rating,
            time_control: self.tags.time_control,
            eco: self.tags.eco,
            year: self.tags.year,
            origin: None,
            identity: Identity::default(),
            players: self.tags.players,
        }))
    }
}
