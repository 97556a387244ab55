//! Pooling over windows and over the whole board.

use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Pooling, Shape, Unfit, check_within, convolution::Window,
    operation::Operation,
};
use crate::{
    NetworkError,
    planes::onnx_graph::{Value, integer, integers},
};

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

    /// The window that moves over the board; `None` for the whole board.
    fn window(self) -> Option<Window> {
        let size = self.size?;
        let (stride, margin) = (self.stride.unwrap_or(size), self.padding.unwrap_or_default());
        Some(Window { size, stride, margin })
    }
}

impl Kind for Pool {
    fn check(&self) -> Result<(), Unfit> {
        let Some(Window { size, stride, margin }) = self.window() else {
            for (key, given) in [("stride", self.stride), ("padding", self.padding)] {
                if let Some(found) = given {
                    return Err(Unfit { key, found, expected: "none where size is absent".into() });
                }
            }
            return Ok(());
        };
        check_within("size", size, 1..=15)?;
        check_within("stride", stride, 1..=15)?;
        if margin > size / 2 {
            return Err(Unfit { key: "padding", found: margin, expected: "at most half of size".into() });
        }
        Ok(())
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
            Some(Window { size, stride, .. }) => format!("{method} pooling {size}x{size}, stride {stride}"),
        }
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        match self.window() {
            Some(window) => window.shape(inputs[0]),
            None => Ok(Shape::flat(inputs[0].channels)),
        }
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let source = export.input(0);
        let Some(Window { size, stride, margin }) = self.window() else {
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
        let window = self.window().map(|Window { size, stride, margin }| [size, stride, margin]);
        Operator::Pool { method: self.method, window }
    }
}
