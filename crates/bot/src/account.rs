//! The bot's account.

use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) username: String,
    #[serde(default)]
    pub(crate) title: Option<String>,
}
