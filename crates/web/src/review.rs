//! Reviews of whole games: every position searched with the same budget, and what each move cost its side.

mod accuracy;
mod queue;
mod view;
mod work;

pub(crate) use queue::ReviewQueue;
pub(crate) use view::ReviewView;
pub(crate) use work::ReviewRequest;
