//! Builds one record from the tokens of a game.

use std::{ops::ControlFlow, path::PathBuf, sync::Arc};

use chess::{
    CastlingMode, Chess, Position, Score, legal_san,
    shakmaty::{EnPassantMode, fen::Fen, san::San},
};
use pgn_reader::{Outcome, RawComment, RawTag, SanPlus, Skip, Visitor};

use super::{
    annotation,
    comment::CUT_OFF,
    evaluation::{Evaluation, Pairs, View},
    movetext::{LAST_WORD, NO_MOVE, VARIATION_NUMBER},
    tags::{self, Tags},
};
use crate::{
    record::{GameRecord, Identity, LabelDoubt, LabelDoubts, Place, RecordedMove},
    source::{BadReason, Problem, positions::MAX_PLIES},
};

/// Comments are searched for annotations up to this length.
const MAX_COMMENT_BYTES: usize = 1 << 16;

/// A record whose place is still to be filled in by the source.
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
    castling_mode: CastlingMode,
    /// Before the last move, where variations branch off.
    previous: Chess,
    position: Chess,
    /// Evaluation of `position` for the side to move, with its depth, once its comment was read.
    evaluation: Option<(Score, Option<u16>)>,
    pairs: Pairs,
    /// True if the position before the last move was evaluated apart from the game, so that a variation is a better move.
    is_analysed: bool,
    moves: Vec<RecordedMove>,
    doubts: LabelDoubts,
    depth: usize,
    /// True if the next move is the first one of the first variation after an evaluated position.
    expects_better: bool,
    end: TextEnd,
    outcome: Option<Outcome>,
}

/// What is known of the end of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextEnd {
    /// Nothing yet.
    Ahead,
    /// It comes behind the next move, which may be part of another one.
    BehindMove,
    /// It cut off a comment or the last word.
    CutsOff,
}

/// A game; `None` for text without tags, moves and result.
type Outcomes = Result<Option<UnplacedGame>, Problem>;

type Read<T = ()> = ControlFlow<Outcomes, T>;

fn reject<T>(reason: BadReason, detail: String) -> Read<T> {
    ControlFlow::Break(Err(Problem::new(reason, detail)))
}

impl Visitor for GameVisitor {
    type Tags = Tags;
    type Movetext = Movetext;
    type Output = Outcomes;

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
            Err(problem) => ControlFlow::Break(Err(problem)),
            Ok((start, castling_mode)) => ControlFlow::Continue(Movetext {
                tags,
                castling_mode,
                previous: start.clone(),
                position: start.clone(),
                start,
                evaluation: None,
                pairs: Pairs::default(),
                is_analysed: false,
                doubts: LabelDoubts::default(),
                moves: Vec::with_capacity(100),
                depth: 0,
                expects_better: false,
                end: TextEnd::Ahead,
                outcome: None,
            }),
        }
    }

    fn san(&mut self, game: &mut Movetext, san: SanPlus) -> Read {
        if game.depth > 0 {
            game.variation_move(san);
            return ControlFlow::Continue(());
        }
        game.main_move(san)
    }

    fn partial_comment(&mut self, game: &mut Movetext, comment: RawComment<'_>) -> Read {
        if game.depth == 0 {
            self.gather(comment.as_bytes());
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Movetext, comment: RawComment<'_>) -> Read {
        if comment.as_bytes() == [LAST_WORD] {
            game.end = TextEnd::BehindMove;
            return ControlFlow::Continue(());
        }
        if comment.as_bytes().ends_with(&[CUT_OFF]) {
            // What it says may not be whole.
            self.comment.clear();
            game.end = TextEnd::CutsOff;
            return ControlFlow::Continue(());
        }
        if game.depth > 0 {
            if let Some(number) = comment.as_bytes().strip_prefix(&[VARIATION_NUMBER]) {
                game.expects_better &= game.replaces_last(number);
            }
            return ControlFlow::Continue(());
        }
        if let Some(word) = comment.as_bytes().strip_prefix(&[NO_MOVE]) {
            let (word, ply) = (annotation::printable(word), game.moves.len() + 1);
            let detail =
                format!("{word:?} as half-move {ply} is not a move; expected one such as Nf3, exd5 or O-O");
            return reject(BadReason::BadSyntax, detail);
        }
        if self.comment.is_empty() {
            game.annotate(comment.as_bytes());
            return ControlFlow::Continue(());
        }
        self.gather(comment.as_bytes());
        if self.comment.len() > MAX_COMMENT_BYTES {
            game.doubts.count(LabelDoubt::LongComment);
            self.comment.truncate(MAX_COMMENT_BYTES);
        }
        game.annotate(&self.comment);
        self.comment.clear();
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, game: &mut Movetext) -> Read<Skip> {
        game.depth += 1;
        // Without an evaluation in front of it, a variation is somebody's commentary and not an engine's better move. The others are not
        // only ignored but skipped, which spares the parser their moves.
        let labels = game.depth == 1
            && game.is_analysed
            && game.moves.last().is_some_and(|last| last.better.is_none());
        game.expects_better = labels;
        ControlFlow::Continue(Skip(!labels))
    }

    fn end_variation(&mut self, game: &mut Movetext) -> Read {
        game.depth = game.depth.saturating_sub(1);
        game.expects_better = false;
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Movetext, outcome: Outcome) -> Read {
        if game.depth > 0 {
            return ControlFlow::Continue(());
        }
        match (game.outcome.and_then(tags::winner), tags::winner(outcome)) {
            (Some(before), Some(now)) if before != now => {
                let detail = format!("the moves end with two results, the second one {outcome}");
                return reject(BadReason::ConflictingResult, detail);
            }
            (Some(_), _) => {}
            (None, _) => game.outcome = Some(outcome),
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Movetext) -> Self::Output {
        game.finish(Arc::clone(&self.no_file))
    }
}

/// An outcome for messages.
fn outcome_text(outcome: Option<Outcome>) -> String {
    outcome.map_or_else(|| "a game".into(), |found| found.to_string())
}

impl GameVisitor {
    /// Adds a part of a long comment. The first part that does not fit is cut off and later parts are
    /// dropped, since joining parts that were not adjacent would form false words. One byte too many marks
    /// the cut.
    fn gather(&mut self, part: &[u8]) {
        let room = MAX_COMMENT_BYTES + 1 - self.comment.len();
        self.comment.extend_from_slice(&part[..part.len().min(room)]);
    }
}

impl Movetext {
    fn main_move(&mut self, san: SanPlus) -> Read {
        let played = match legal_san(&self.position, &san.san) {
            Ok(played) => played,
            Err(_) if self.end == TextEnd::BehindMove => {
                self.end = TextEnd::CutsOff;
                return ControlFlow::Continue(());
            }
            Err(error) => {
                let half_move = self.moves.len() + 1;
                let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
                let detail = format!("{san} as half-move {half_move} ({error}) in {fen}");
                return reject(BadReason::IllegalMove, detail);
            }
        };
        if self.outcome.is_some() {
            return reject(BadReason::BadSyntax, format!("move {san} after the termination marker"));
        }
        if self.moves.len() == MAX_PLIES {
            return reject(BadReason::TooLong, format!("more than {MAX_PLIES} half-moves"));
        }
        let (evaluation, depth) =
            self.evaluation.take().map_or((None, None), |(score, depth)| (Some(score), depth));
        self.is_analysed = evaluation.is_some();
        self.moves.push(RecordedMove { evaluation, depth, ..played.into() });
        self.previous.clone_from(&self.position);
        self.position.play_unchecked(played);
        ControlFlow::Continue(())
    }

    /// Only the first move of a labelling variation matters; the others are commentary. So is a null move, which shows a threat.
    fn variation_move(&mut self, san: SanPlus) {
        if !std::mem::take(&mut self.expects_better) || san.san == San::Null {
            return;
        }
        // The variation's move replaces the last move: it has the same number, and the position before it.
        match legal_san(&self.previous, &san.san) {
            Ok(better) => {
                if let Some(last) = self.moves.last_mut()
                    && last.played != better
                {
                    last.better = Some(better);
                }
            }
            Err(_) => self.doubts.count(LabelDoubt::UnreadBetterMove),
        }
    }

    /// True if a variation that begins with this number and these dots replaces the last move; otherwise it continues from there.
    fn replaces_last(&self, number: &[u8]) -> bool {
        let digits = number.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let dots = number.split(|&byte| byte == b'.').count() - 1;
        let written = std::str::from_utf8(&number[..digits]).ok().and_then(|digits| digits.parse().ok());
        // White's move 7 is followed by 7..., Black's by 8.
        written == Some(self.previous.fullmoves().get()) && !(self.previous.turn().is_white() && dots >= 2)
    }

    fn annotate(&mut self, comment: &[u8]) {
        let annotation = annotation::parse(comment, &mut self.doubts);
        let turn = self.position.turn();
        // An evaluation in a comment belongs to one of two positions: `[%eval]` to that after the move, where the comment stands, and what a
        // match program writes about its search to that before the move. The first is kept until the next move makes a record of its
        // position; the second goes into the last record, unless that has an evaluation already, from the `[%eval]` before its move.
        match annotation.evaluation {
            Some(Evaluation { view: View::Mover, .. }) if self.moves.is_empty() => {
                self.doubts.count(LabelDoubt::EvaluationView);
            }
            Some(evaluation @ Evaluation { score, view, depth, .. }) => {
                self.pairs.note(evaluation, self.moves.len());
                // The side that moved is not to move now.
                let is_for_mover = view == View::White && turn.is_white();
                self.evaluation = Some((if is_for_mover { score } else { score.flipped() }, depth));
            }
            None => {}
        }
        let Some(last) = self.moves.last_mut() else { return };
        last.clock_seconds = annotation.clock_seconds.or(last.clock_seconds);
        if let Some(Evaluation { score, view, depth, .. }) = annotation.search
            && last.evaluation.is_none()
        {
            // White moved if Black is to move now.
            let is_for_mover = view == View::Mover || turn.is_black();
            last.evaluation = Some(if is_for_mover { score } else { score.flipped() });
            last.depth = depth;
        }
    }

    /// Leaves out the evaluations whose scale does not follow from the whole game.
    fn drop_pairs_in_doubt(&mut self) {
        for &ply in self.pairs.in_doubt() {
            if let Some(recorded) = self.moves.get_mut(ply) {
                (recorded.evaluation, recorded.depth) = (None, None);
                self.doubts.count(LabelDoubt::EvaluationScale);
            }
        }
    }

    fn finish(mut self, no_file: Arc<PathBuf>) -> Outcomes {
        if self.outcome.is_none() && self.moves.is_empty() && self.tags.is_empty() {
            return Ok(None);
        }
        if self.moves.is_empty() {
            let detail = format!("{} without a move", outcome_text(self.outcome));
            return Err(Problem::new(BadReason::NoMoves, detail));
        }
        let by_marker = self.outcome.and_then(tags::winner);
        let by_tag = self.tags.result.and_then(tags::winner);
        if by_marker.is_some() && by_tag.is_some() && by_marker != by_tag {
            let (tag, marker) = (outcome_text(self.tags.result), outcome_text(self.outcome));
            let detail = format!("tag Result is {tag}, the moves end with {marker}");
            return Err(Problem::new(BadReason::ConflictingResult, detail));
        }
        if self.outcome.is_none() {
            self.doubts.count(LabelDoubt::MissingResult);
        }
        // The moves before a variation without an end are those of the main line.
        if self.end == TextEnd::CutsOff || self.depth > 0 {
            self.doubts.count(LabelDoubt::CutOff);
        }
        self.drop_pairs_in_doubt();
        Ok(Some(UnplacedGame(GameRecord {
            place: Place { file: no_file, line: 0 },
            start: self.start,
            castling_mode: self.castling_mode,
            moves: self.moves,
            winner: by_marker.or(by_tag),
            white_rating: self.tags.white_rating,
            black_rating: self.tags.black_rating,
            time_control: self.tags.time_control,
            eco: self.tags.eco,
            year: self.tags.year,
            origin: None,
            identity: Identity::default(),
            players: self.tags.players,
            doubts: self.doubts,
        })))
    }
}
