//! Reviews of whole games: every position searched with the same budget, and what each move cost its side.

mod accuracy;
mod game;
mod queue;
mod store;
mod view;
mod work;

pub use accuracy::ReviewScale;
pub use game::GameReview;
pub(crate) use queue::ReviewQueue;
pub(crate) use store::ReviewStore;
pub(crate) use view::ReviewView;
pub use view::{Judgement, ReviewPoint, SideSummary};
pub(crate) use work::{ReviewRequest, start_of};
