//! The output of `d`, `eval` and `VerboseMoveStats`, as lines for `info string`.

use chess::{
    Color, Decision, Evaluation, EvaluationRequest, Evaluator, EvaluatorError, Game, Heads, Move, Wdl,
    diagram::{Drawing, PieceStyle, draw},
    print_uci_move,
};
use figures::Percent;

/// Number of most likely moves listed. Chosen: they fit on one line of a terminal.
const MOVES_SHOWN: usize = 5;

/// The board with FEN, key, repetitions and ending.
pub(super) fn board(game: &Game) -> Vec<String> {
    let drawing = Drawing { pieces: PieceStyle::Ascii, bottom: Color::White };
    let mut lines = draw(game.position(), drawing, game.moves().last().copied());
    lines.push(format!("Fen: {}", game.fen()));
    lines.push(format!("Key: {:016x}", game.key()));
    lines.push(format!("Legal moves: {}", game.legal_moves().len()));
    lines.push(format!("Occurred before: {}", game.repetitions()));
    if let Some(outcome) = game.outcome() {
        lines.push(format!("Ending: {}", outcome.ending));
    }
    lines
}

/// The evaluator's value and policy, without search.
pub(super) fn evaluation(game: &Game, evaluator: &dyn Evaluator) -> Result<Vec<String>, EvaluatorError> {
    let legal_moves = game.legal_moves();
    if legal_moves.is_empty() {
        return Ok(vec!["the game is over; there is nothing to evaluate".into()]);
    }
    let request = EvaluationRequest { game, legal_moves: &legal_moves };
    let answers = evaluator.evaluate(&[request])?;
    let (mut lines, heads) = (vec![evaluator.describe()], evaluator.heads());
    for answer in answers {
        if heads.value {
            lines.push(format!("{} for the side to move", percentages(answer.wdl)));
        }
        if !heads.policy {
            continue;
        }
        let mut priors: Vec<_> = legal_moves.iter().zip(answer.priors).collect();
        priors.sort_by(|first, second| second.1.total_cmp(&first.1));
        let shown =
            priors.iter().take(MOVES_SHOWN).map(|&(&chess_move, prior)| likely(game, chess_move, prior));
        lines.push(format!("policy: {}", shown.collect::<Vec<_>>().join(", ")));
    }
    lines.extend(Some(heads.missing().to_owned()).filter(|missing| !missing.is_empty()));
    Ok(lines)
}

/// Every root move of a finished search.
pub(super) fn root_moves(game: &Game, decision: &Decision) -> Vec<String> {
    let roots = decision.info.root_moves.iter();
    roots.map(|root| root_move(game, decision.info.heads, root)).collect()
}

/// A root move with its visits, prior and value, as far as the evaluator has such outputs.
fn root_move(game: &Game, heads: Heads, root: &chess::RootMove) -> String {
    let value = match root.wdl {
        None => "not visited".into(),
        Some(wdl) if heads.judge(wdl) => percentages(wdl),
        Some(_) => "no value".into(),
    };
    let prior = if heads.policy { format!("prior {:.2}", Percent(root.prior)) } else { "no policy".into() };
    let uci = print_uci_move(root.chess_move, game.castling_mode());
    format!("{uci} visits {} {prior} {value}", root.visits)
}

/// The moves from which a decision of the opening book was drawn; `None` for a decision of a search.
pub(super) fn book_moves(game: &Game, decision: &Decision) -> Option<String> {
    if !decision.info.variations.is_empty() {
        return None;
    }
    let roots = decision.info.root_moves.iter();
    let moves: Vec<String> = roots.map(|root| likely(game, root.chess_move, root.prior)).collect();
    Some(format!("book: {}", moves.join(", ")))
}

/// A move with its probability.
fn likely(game: &Game, chess_move: Move, probability: f32) -> String {
    format!("{} {}", print_uci_move(chess_move, game.castling_mode()), Percent(probability))
}

/// Every root move of a finished search as lc0's `VerboseMoveStats` prints it, worst first and the position itself last:
/// move (index in lc0's policy), visits, prior, win minus loss, draw, moves left, value, exploration, their sum, and the
/// evaluator's own value.
///
/// The evaluator's value and moves left are evaluated again here, in one batch; a dash means that the move ends the game, or
/// that the network does not predict it. lc0's M is an average over the tree; here it is the network's own output.
pub(super) fn verbose_move_stats(
    game: &Game,
    decision: &Decision,
    evaluator: &dyn Evaluator,
) -> Result<Vec<String>, EvaluatorError> {
    let policy = chess::encoding::moves::move_encoding("lc0-1858").ok();
    let unknown = decision.info.variations.first().map_or(0.0, |line| line.wdl.value());
    let after: Vec<Game> = decision.info.root_moves.iter().map(|root| game.after(root.chess_move)).collect();
    let answers = evaluations(&after.iter().chain([game]).collect::<Vec<_>>(), evaluator)?;
    let has_value = evaluator.heads().value;
    let mut lines = Vec::with_capacity(answers.len());
    for (root, answer) in decision.info.root_moves.iter().zip(&answers).rev() {
        let index = policy.map_or(0, |policy| policy.index(game.position(), root.chess_move));
        let label = format!("{:<5} ({index:<4})", print_uci_move(root.chess_move, game.castling_mode()));
        let own = answer.as_ref().filter(|_| has_value);
        let stats = MoveStats {
            visits: root.visits,
            prior: root.prior,
            exploration: root.exploration.unwrap_or_default(),
            value: root.wdl.map_or(unknown, Wdl::value),
            wdl: root.wdl.unwrap_or(Wdl { win: 0.0, draw: 0.0, loss: 0.0 }),
            // The evaluation is from the opponent's view, who is to move then.
            own_value: own.map(|own| -own.wdl.value()),
            moves_left: own.and_then(|own| own.moves_left),
        };
        lines.push(stats.line(&label));
    }
    if let Some(best) = decision.info.variations.first() {
        let label = format!("{:<5} ({:>4})", "node", decision.info.root_moves.len());
        let own = answers.last().and_then(Option::as_ref).filter(|_| has_value);
        let stats = MoveStats {
            visits: decision.info.nodes,
            prior: 1.0,
            exploration: 0.0,
            value: best.wdl.value(),
            wdl: best.wdl,
            own_value: own.map(|own| own.wdl.value()),
            moves_left: own.and_then(|own| own.moves_left),
        };
        lines.push(stats.line(&label));
    }
    Ok(lines)
}

/// The evaluation of each game; `None` if it is over.
fn evaluations(
    games: &[&Game],
    evaluator: &dyn Evaluator,
) -> Result<Vec<Option<Evaluation>>, EvaluatorError> {
    let moves: Vec<Vec<Move>> = games.iter().map(|game| game.legal_moves().into_iter().collect()).collect();
    let requests: Vec<EvaluationRequest<'_>> = games
        .iter()
        .zip(&moves)
        .filter(|(_, moves)| !moves.is_empty())
        .map(|(game, legal_moves)| EvaluationRequest { game, legal_moves })
        .collect();
    let mut answers = evaluator.evaluate(&requests)?.into_iter();
    Ok(moves.iter().map(|moves| if moves.is_empty() { None } else { answers.next() }).collect())
}

/// The numbers of one line.
struct MoveStats {
    visits: u64,
    prior: f32,
    exploration: f32,
    /// The value that selection uses; `wdl` is the value of the visits.
    value: f32,
    wdl: Wdl,
    /// The evaluator's value, for the side to move of the position asked about.
    own_value: Option<f32>,
    moves_left: Option<f32>,
}

impl MoveStats {
    fn line(&self, label: &str) -> String {
        let Self { visits, prior, exploration, value, wdl, own_value, moves_left } = *self;
        let moves_left = moves_left.map_or_else(|| " -.-".to_owned(), |plies| format!("{plies:>4.1}"));
        let own = own_value.map_or_else(|| " -.----".to_owned(), |value| format!("{value:>7.4}"));
        format!(
            "{label} N: {visits:>7} (+ 0) (P: {:>5.2}%) (WL: {:>8.5}) (D: {:>5.3}) (M: {moves_left}) (Q: {value:>8.5}) \
         (U: {exploration:>6.5}) (S: {:>8.5}) (V: {own})",
            prior * 100.0,
            wdl.value(),
            wdl.draw,
            value + exploration,
        )
    }
}

fn percentages(wdl: Wdl) -> String {
    format!(
        "win {} draw {} loss {} value {:+.3}",
        Percent(wdl.win),
        Percent(wdl.draw),
        Percent(wdl.loss),
        wdl.value()
    )
}
