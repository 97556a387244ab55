//! Playouts by one thread: walk to a leaf, evaluate it, back its value up. Evaluators that need batches are fed by `batched`,
//! those of single positions by `direct`; tree, selection and backup are the same.

mod batched;
mod direct;
mod walker;

use chess::{Chess, Evaluator, EvaluatorError, PositionEvaluator, TableResult, Tablebases};

use self::{batched::Batched, direct::Direct};
use super::{
    numbers::{PuctOptions, VISIT_WAIT},
    position::Leaf,
    shared::{Shared, Statistics},
    tree::{State, TABLE_PLIES},
};

/// One thread's playouts in the tree of a search.
pub(crate) trait Playouts {
    /// Makes visits, few enough that their caller can look at the clock between two calls, and returns their number. After an
    /// error the tree is unusable.
    fn batch(&mut self) -> Result<u64, EvaluatorError>;

    /// Visits the root move with this ordinal, which has no child yet and ends the game at once.
    fn visit_final_move(&mut self, ordinal: usize);

    /// Gives unused memory back.
    fn rest(self: Box<Self>);
}

/// Playouts from the root of the shared tree: one position at a time where the evaluator has an interface for that and no
/// batch size is set, else in batches.
pub(crate) fn new<'a>(shared: &'a Shared<'a>) -> Box<dyn Playouts + 'a> {
    let parts = shared.parts;
    match single(parts.evaluator, &parts.settings.puct) {
        Some(evaluator) => Box::new(Direct::new(shared, evaluator)),
        None => Box::new(Batched::new(shared)),
    }
}

/// Form of the requests to an evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feed {
    Batches,
    Positions,
}

impl Feed {
    /// The feed that [`new`] chooses.
    pub(crate) fn of(evaluator: &dyn Evaluator, options: &PuctOptions) -> Self {
        if single(evaluator, options).is_some() { Self::Positions } else { Self::Batches }
    }
}

fn single<'a>(
    evaluator: &'a dyn Evaluator,
    options: &PuctOptions,
) -> Option<Box<dyn PositionEvaluator + 'a>> {
    if options.mini_batch_size == 0 { evaluator.position_evaluator() } else { None }
}

/// Makes playouts until the search is over: the main loop of a helper. In a full tree it waits: the main thread, which makes
/// room, may not run for a while on a busy machine, and what the arenas have grown beyond the limit is never given back.
pub(crate) fn help(shared: &Shared<'_>) {
    let mut playouts = new(shared);
    while !shared.is_finished() {
        let visits = if shared.parts.tree.is_full() { Ok(0) } else { playouts.batch() };
        match visits {
            Ok(0) => std::thread::sleep(VISIT_WAIT),
            Ok(_visits) => {}
            Err(error) => {
                shared.fail(error);
                break;
            }
        }
    }
    playouts.rest();
}

/// The outcome by the endgame tables, from the view of the side to move.
fn probe(tables: Option<&Tablebases>, position: &Chess, statistics: &mut Statistics) -> Leaf {
    let Some(result) = tables.and_then(|tables| tables.probe(position)) else { return Leaf::Open };
    statistics.table_hits += 1;
    match result {
        TableResult::Win => Leaf::Terminal(State::Won, TABLE_PLIES),
        TableResult::Draw => Leaf::Terminal(State::Drawn, 0),
        TableResult::Loss => Leaf::Terminal(State::Lost, TABLE_PLIES),
    }
}
