//! Pooling over windows and over the whole board.

use serde::{Deserialize, Serialize};

use super::{Builder, Export, Kind, Operator, Shape, convolution::positions, operation::Operation};
use crate::{
    NetworkError,
    planes::onnx_graph::{Value, integer, integers},
};

/// The reduction of a window to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The largest value in the window.
    Max,
    /// The mean; squares beyond the edge count as zeros, as in PyTorch.
    Average,
}

/// One value per channel for each window, or for the whole board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pool {
    /// Maximum or mean.
    pub method: Pooling,
    /// Squares along one side of the window, 1 to 15; absent for one window over the whole board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// Stride: squares from one window to the next, 1 to 15. Default: the window's size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
    /// Squares of padding on every side, at most half the window's size. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<usize>,
}

impl Pool {
    /// The mean over the board.
    pub(crate) const MEAN: Self = Self { method: Pooling::Average, size: None, stride: None, padding: None };

    /// Size, stride and margin of the windows; `None` for the whole board.
    fn window(self) -> Option<(usize, usize, usize)> {
        let size = self.size?;
        Some((size, self.stride.unwrap_or(size), self.padding.unwrap_or_default()))
    }
}

impl Kind for Pool {
    fn check(&self) -> Result<(), (&'static str, usize, &'static str)> {
        let whole = self.size.is_none();
        match (self.window(), self.stride, self.padding) {
            (None, Some(stride), _) if whole => Err(("stride", stride, "none where size is absent")),
            (None, None, Some(padding)) => Err(("padding", padding, "none where size is absent")),
            (Some((size @ (0 | 16..), ..)), ..) => Err(("size", size, "1 to 15")),
            (Some((_, stride @ (0 | 16..), _)), ..) => Err(("stride", stride, "1 to 15")),
            (Some((size, _, margin)), ..) if margin > size / 2 => {
                Err(("padding", margin, "at most half of size"))
            }
            _ => Ok(()),
        }
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
}

impl Operation for Pool {
    fn describe(&self) -> String {
        let method = match self.method {
            Pooling::Max => "max",
            Pooling::Average => "average",
        };
        match self.window() {
            None => format!("{method} pooling of the board"),
            Some((size, stride, _)) => format!("{method} pooling {size}x{size}, stride {stride}"),
        }
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        let Shape { channels, ranks, files } = inputs[0];
        let Some(window) = self.window() else { return Ok(Shape::flat(channels)) };
        Ok(Shape { channels, ranks: positions(ranks, window)?, files: positions(files, window)? })
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        let Some((size, stride, margin)) = self.window() else {
            let operator = match self.method {
                Pooling::Max => "GlobalMaxPool",
                Pooling::Average => "GlobalAveragePool",
            };
            return export.node(operator, &[source], Vec::new());
        };
        let mut settings = vec![
            integers("kernel_shape", &[size as i64; 2]),
            integers("strides", &[stride as i64; 2]),
            integers("pads", &[margin as i64; 4]),
        ];
        match self.method {
            Pooling::Max => export.node("MaxPool", &[source], settings),
            Pooling::Average => {
                settings.push(integer("count_include_pad", 1));
                export.node("AveragePool", &[source], settings)
            }
        }
    }

    fn operator(&self) -> Operator {
        let window = self.window().map(|(size, stride, margin)| [size, stride, margin]);
        Operator::Pool { method: self.method, window }
    }
}
