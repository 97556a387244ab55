//! Networks on Burn: every GPU, and on the CPU the oracle of the kernels. The only place that computes with its tensors; compiled
//! with one of the features `burn-cpu`, `cuda`, `vulkan` and `metal`.

mod evaluator;
mod forward;
mod inputs;
mod losses;
mod operations;
mod passes;

use burn::tensor::{Int, Tensor, TensorData};

pub(crate) use evaluator::NetworkEvaluator;
pub(crate) use passes::OnBurn;

use crate::device::Device;

impl Device {
    /// # Panics
    /// When this is not a device of Burn.
    fn tensors(&self) -> &burn::tensor::Device {
        self.burn.as_ref().expect("the kind of device decides where networks are built")
    }

    fn matrix(&self, values: Vec<f32>, shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, shape), self.tensors())
    }

    fn indices(&self, values: Vec<i32>, shape: [usize; 2]) -> Tensor<2, Int> {
        Tensor::from_data(TensorData::new(values, shape), self.tensors())
    }
}

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, String> {
    tensor.try_into_vec_as::<f32>().map_err(|error| error.to_string())
}

#[cfg(test)]
#[cfg(feature = "burn-cpu")]
mod tests;
