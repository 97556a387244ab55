//! Networks on Burn: every network of planes on its devices, and the oracle for the kernels. Only this module and
//! `device/burn_device.rs` name Burn, so the program compiles without it.

mod evaluator;
mod forward;
mod inputs;
mod operators;
mod passes;

use burn::tensor::Tensor;

pub(crate) use evaluator::NetworkEvaluator;
pub(crate) use passes::OnBurn;

fn to_vec(tensor: Tensor<2>) -> Result<Vec<f32>, String> {
    tensor.try_into_vec_as::<f32>().map_err(|error| error.to_string())
}

#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
#[cfg(feature = "vulkan")]
mod vulkan_tests;
