//! Networks on Burn: every network on every device, and the oracle of the kernels. Its tensors are
//! computed with here and in [`crate::layers`].

mod evaluator;
mod forward;
mod inputs;
mod passes;

use burn::tensor::{Tensor, TensorData};

pub(crate) use evaluator::NetworkEvaluator;
pub(crate) use passes::OnBurn;

use crate::device::Device;

impl Device {
    /// # Panics
    /// If this is not a device of Burn.
    pub(crate) fn tensors(&self) -> &burn::tensor::Device {
        self.burn.as_ref().expect("the kind of device decides where networks are built")
    }

    fn tensor(&self, values: Vec<f32>, shape: [usize; 4]) -> Tensor<4> {
        Tensor::from_data(TensorData::new(values, shape), self.tensors())
    }

    fn matrix(&self, values: Vec<f32>, shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, shape), self.tensors())
    }
}

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, String> {
    tensor.try_into_vec_as::<f32>().map_err(|error| error.to_string())
}

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
#[cfg(feature = "vulkan")]
mod vulkan_tests;
