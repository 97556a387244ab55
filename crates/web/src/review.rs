//! Reviews of whole games: waiting, running, and stored in a folder.

mod queue;
mod store;
mod view;
mod work;

pub(crate) use queue::ReviewQueue;
pub(crate) use store::ReviewStore;
pub(crate) use view::ReviewView;
pub(crate) use work::{ReviewRequest, start_of};
