//! A network in training in PyTorch: `tabiya.torch`'s `Training` as a [`Trainable`], so that the program's trainer keeps its run.

use std::borrow::Cow;

use dataset::Batch;
use network::{
    NetworkError, TrainingPrecision,
    architecture::Architecture,
    container::{Container, Matrix},
    optimiser::PARTS,
    parameter::ParameterShape,
    passes::{Forward, NormStatistics, Outputs, Parameters},
    trainable::{BatchLosses, DeviceUsage, LossFunctions, Trainable},
};
use numpy::{PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::{
    call::PyCallArgs,
    prelude::*,
    types::{PyDict, PyList},
};
use training::Recipe;

use crate::{arrays::Arrays, failure::failure, named::Encoding};

/// A network in training in PyTorch: the Python object, its encoding and the shapes of its parameters.
pub(crate) struct InTorch {
    training: Py<PyAny>,
    encoding: Encoding,
    shapes: Vec<ParameterShape>,
    steps: u64,
}

/// Why the copies of numbers succeed: only PyTorch without memory refuses them.
const NUMBERS: &str = "PyTorch gives and takes the numbers of the network";

impl InTorch {
    /// The network of a recipe, built by `make` from the recipe as JSON.
    pub(crate) fn new(make: &Py<PyAny>, recipe: &Recipe) -> PyResult<Self> {
        let architecture = Architecture::new(&recipe.network).map_err(failure)?;
        let table: toml::Table = recipe.to_toml().map_err(failure)?.parse().map_err(failure)?;
        let text = serde_json::to_string(&table).map_err(failure)?;
        Python::attach(|py| {
            let training = make.call1(py, (text,))?;
            let encoding = Encoding::of_recipe(recipe)?;
            Ok(Self { training, encoding, shapes: architecture.parameters().to_vec(), steps: 0 })
        })
    }

    fn call<'py, T: FromPyObjectOwned<'py>>(
        &self,
        py: Python<'py>,
        method: &str,
        arguments: impl PyCallArgs<'py>,
    ) -> PyResult<T> {
        let found = self.training.bind(py).call_method1(method, arguments)?;
        found.extract().map_err(Into::into)
    }

    /// Calls a method that returns nothing.
    fn tell<'py>(&self, py: Python<'py>, method: &str, arguments: impl PyCallArgs<'py>) -> PyResult<()> {
        self.training.bind(py).call_method1(method, arguments).map(|_none| ())
    }

    fn batch<'py>(&self, py: Python<'py>, batch: &Batch) -> PyResult<Bound<'py, PyDict>> {
        Arrays::of_batch(batch.clone(), &self.encoding, true).into_dict(py)
    }

    /// Parameters, or averages of them, as matrices.
    fn given<'py>(&self, py: Python<'py>, values: &[Vec<f32>]) -> PyResult<Bound<'py, PyList>> {
        let arrays = self
            .shapes
            .iter()
            .zip(values)
            .map(|(shape, values)| PyArray1::from_slice(py, values).reshape([shape.rows, shape.columns]));
        PyList::new(py, arrays.collect::<PyResult<Vec<_>>>()?)
    }

    fn taken(&self, py: Python<'_>, method: &str) -> PyResult<Parameters> {
        Ok(values_of(&self.call::<Vec<PyReadonlyArray2<'_, f32>>>(py, method, ())?))
    }
}

fn values_of(arrays: &[PyReadonlyArray2<'_, f32>]) -> Parameters {
    arrays.iter().map(|array| array.as_array().iter().copied().collect()).collect()
}

/// Converts an exception of PyTorch.
fn refused(error: &PyErr) -> NetworkError {
    NetworkError::Pass(error.to_string())
}

impl Forward for InTorch {
    fn forward(
        &mut self,
        parameters: &Parameters,
        statistics: NormStatistics<'_>,
        batch: &Batch,
    ) -> Result<Outputs, NetworkError> {
        type Found<'py> = (
            PyReadonlyArray1<'py, f32>,
            PyReadonlyArray1<'py, f32>,
            PyReadonlyArray1<'py, f32>,
            Vec<PyReadonlyArray2<'py, f32>>,
        );
        Python::attach(|py| {
            let stored = match statistics {
                NormStatistics::Batch => None,
                NormStatistics::Stored(stored) => {
                    // Means, then variances.
                    let arrays = stored
                        .iter()
                        .map(|values| PyArray1::from_slice(py, values).reshape([2, values.len() / 2]));
                    Some(arrays.collect::<PyResult<Vec<_>>>()?)
                }
            };
            let arguments = (self.given(py, parameters)?, stored, self.batch(py, batch)?);
            let (logits, values, legal, statistics): Found<'_> = self.call(py, "forward", arguments)?;
            let [logits, values, legal] = [logits, values, legal].map(|array| array.as_array().to_vec());
            Ok(Outputs { logits, values, legal, statistics: values_of(&statistics) })
        })
        .map_err(|error| refused(&error))
    }
}

impl Trainable for InTorch {
    fn describe(&self) -> String {
        Python::attach(|py| self.call(py, "describe", ())).expect(NUMBERS)
    }

    fn set_precision(&mut self, precision: TrainingPrecision) -> Result<(), NetworkError> {
        if precision == TrainingPrecision::F32 {
            return Ok(());
        }
        let reason = "PyTorch trains in f32 here (use precision f32)".into();
        Err(NetworkError::Precision { precision: precision.name(), reason })
    }

    fn steps(&self) -> u64 {
        self.steps
    }

    fn values(&self) -> Vec<Cow<'_, [f32]>> {
        let values = Python::attach(|py| self.taken(py, "values")).expect(NUMBERS);
        values.into_iter().map(Cow::Owned).collect()
    }

    fn averaged(&self) -> Parameters {
        Python::attach(|py| self.taken(py, "averaged")).expect(NUMBERS)
    }

    fn start_from(&mut self, parameters: Parameters) {
        self.steps = 0;
        Python::attach(|py| self.tell(py, "start_from", (self.given(py, &parameters)?,))).expect(NUMBERS);
    }

    /// PyTorch computes the recipe's losses itself, so that it can differentiate them.
    fn gradients(
        &mut self,
        batch: &Batch,
        _losses: &dyn LossFunctions,
        noise: u64,
    ) -> Result<BatchLosses, NetworkError> {
        let found = Python::attach(|py| {
            let arguments = (self.batch(py, batch)?, noise);
            self.call::<(f32, f32, Option<f32>, bool)>(py, "gradients", arguments)
        });
        let (policy_loss, value_loss, illegal_move_loss, is_bounded) =
            found.map_err(|error| refused(&error))?;
        Ok(BatchLosses { policy_loss, value_loss, illegal_move_loss, is_bounded, times: None })
    }

    fn step(&mut self, learning_rate: f32) -> Result<Vec<f64>, NetworkError> {
        self.steps += 1;
        Python::attach(|py| self.call(py, "step", (learning_rate,))).map_err(|error| refused(&error))
    }

    fn matrices(&self) -> Vec<Matrix> {
        let parts = Python::attach(|py| -> PyResult<Vec<Parameters>> {
            let averages: Vec<Vec<PyReadonlyArray2<'_, f32>>> = self.call(py, "state", ())?;
            let mut parts = vec![self.taken(py, "values")?];
            parts.extend(averages.iter().map(|arrays| values_of(arrays)));
            // An optimiser without an average of squares gets zeros in its place: a checkpoint always has all parts.
            while parts.len() < PARTS.len() - 1 {
                parts.push(self.shapes.iter().map(|shape| vec![0.0; shape.rows * shape.columns]).collect());
            }
            parts.push(self.taken(py, "averaged")?);
            Ok(parts)
        })
        .expect(NUMBERS);
        let mut matrices = Vec::with_capacity(PARTS.len() * self.shapes.len());
        for (part, parameters) in PARTS.into_iter().zip(parts) {
            for (shape, values) in self.shapes.iter().zip(parameters) {
                let name = format!("{part}/{}", shape.name);
                matrices.push(Matrix { name, shape: [shape.rows, shape.columns], values });
            }
        }
        matrices
    }

    fn restore(&mut self, steps: u64, container: &mut Container, place: &str) -> Result<(), NetworkError> {
        let mut parts: [Parameters; PARTS.len()] = Default::default();
        for (name, part) in PARTS.into_iter().zip(&mut parts) {
            for shape in &self.shapes {
                let size = [shape.rows, shape.columns];
                part.push(container.take(&format!("{name}/{}", shape.name), size, place)?);
            }
        }
        let [values, first, second, average] = parts;
        self.steps = steps;
        Python::attach(|py| {
            let averages = (self.given(py, &first)?, self.given(py, &second)?);
            let arguments = (steps, self.given(py, &values)?, averages, self.given(py, &average)?);
            self.tell(py, "restore", arguments)
        })
        .map_err(|error| refused(&error))
    }

    fn device_usage(&self) -> DeviceUsage {
        let usage = Python::attach(|py| self.call::<(Option<f64>, Option<u64>)>(py, "usage", ()));
        let (load, bytes) = usage.expect(NUMBERS);
        DeviceUsage { load, bytes }
    }
}
