//! Reviews of whole games: every position searched with the same budget, and what each move cost its side.

mod accuracy;
mod desk;
mod view;
mod work;

pub(crate) use desk::Desk;
pub(crate) use view::ReviewView;
pub(crate) use work::ReviewWish;
