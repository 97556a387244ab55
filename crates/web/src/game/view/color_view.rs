//! A colour as the page sees it.

use chess::Color;
use serde::Serialize;
use utoipa::ToSchema;

use crate::game::record::StoredColor;

/// A colour in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColorView {
    White,
    Black,
}

impl From<Color> for ColorView {
    fn from(color: Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<StoredColor> for ColorView {
    fn from(color: StoredColor) -> Self {
        Color::from(color).into()
    }
}
