use serde::{Deserialize, Serialize};

use super::{
    Builder, Export, Kind, Operator, Shape, Unfit, check_within,
    operation::{NewParameter, Operation},
};
use crate::{
    NetworkError,
    parameter::{Gain, Role},
    planes::onnx_graph::{Value, integer},
};

/// A fully connected layer, `inputs * weight + bias`. Its input must be flat.
///
/// # Parameters
/// `weight` is `[inputs, units]`, `bias` is `[1, units]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dense {
    /// Number of outputs, 1 to 65,536.
    pub units: usize,
    /// True if a bias is added to each output. Default true.
    #[serde(default = "crate::spec::yes")]
    pub bias: bool,
    /// Scale of the initial weights.
    #[serde(skip)]
    pub(crate) gain: Gain,
}

impl Dense {
    /// A layer with bias inside a network.
    pub(crate) fn hidden(units: usize) -> Self {
        Self { units, bias: true, gain: Gain::Hidden }
    }

    /// The last layer of a head: with bias, and small initial weights.
    pub(crate) fn output(units: usize) -> Self {
        Self { gain: Gain::Output, ..Self::hidden(units) }
    }
}

impl Kind for Dense {
    fn check(&self) -> Result<(), Unfit> {
        check_within("units", self.units, 1..=65_536)
    }

    fn append(&self, builder: &mut Builder<'_>, name: &str, input: usize) -> Result<usize, NetworkError> {
        builder.add(name, *self, &[input])
    }
}

impl Operation for Dense {
    fn describe(&self) -> String {
        format!("dense layer of {} units", self.units)
    }

    fn shape(&self, inputs: &[Shape]) -> Result<Shape, String> {
        if inputs[0].is_flat() {
            return Ok(Shape::flat(self.units));
        }
        Err("numbers without squares: a flatten or global pooling layer before it".into())
    }

    fn parameters(&self, inputs: &[Shape]) -> Vec<NewParameter> {
        let (role, columns) = (Role::Weight { gain: self.gain }, self.units);
        let mut parameters = vec![NewParameter { kind: "weight", role, rows: inputs[0].channels, columns }];
        if self.bias {
            parameters.push(NewParameter::row("bias", Role::Bias, columns));
        }
        parameters
    }

    fn onnx(&self, export: &mut Export<'_>) -> Value {
        let (inputs, units) = (export.shapes[0].channels, self.units);
        let (weights, source) = (export.parameter(0), export.input(0));
        let flat = export.step("flat", "Flatten", &[source], vec![integer("axis", 1)]);
        let mut values = vec![flat, export.constant("weight", &[inputs, units], weights)];
        if self.bias {
            let bias = export.parameter(1);
            values.push(export.constant("bias", &[units], bias));
        }
        let sums = export.step("sums", "Gemm", &values, Vec::new());
        export.reshape(&sums, Shape::flat(units))
    }

    fn operator(&self) -> Operator {
        Operator::Dense { bias: self.bias }
    }
}
