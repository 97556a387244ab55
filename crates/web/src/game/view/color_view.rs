//! A colour in messages and files.

use chess::Color;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A colour in messages and files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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

impl From<ColorView> for Color {
    fn from(color: ColorView) -> Self {
        match color {
            ColorView::White => Self::White,
            ColorView::Black => Self::Black,
        }
    }
}
