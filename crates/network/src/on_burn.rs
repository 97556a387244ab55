//! Networks on Burn: every GPU, and on the CPU the oracle of the kernels. The only place that knows its tensors; compiled
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

use crate::device::{Device, DeviceKind};

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

/// Opens a device and runs one small computation on it. Burn's runtimes report a missing driver or adapter by panicking;
/// here it becomes a reason.
pub(crate) fn open(kind: DeviceKind) -> Result<burn::tensor::Device, String> {
    // Their threads would also print what is said here as one reason.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let probe = std::panic::catch_unwind(|| {
        let device = device(kind)?;
        let sum = Tensor::<1>::from_data([1.0_f32, 2.0], &device).sum();
        match sum.try_into_scalar::<f32>() {
            Ok(3.0) => Ok(device),
            Ok(other) => Err(format!("answers 1 + 2 = {other}")),
            Err(error) => Err(error.to_string()),
        }
    });
    std::panic::set_hook(hook);
    probe.unwrap_or_else(|panic| Err(panic_message(panic.as_ref())))
}

fn device(kind: DeviceKind) -> Result<burn::tensor::Device, String> {
    match kind {
        #[cfg(feature = "burn-cpu")]
        DeviceKind::BurnCpu => Ok(burn::tensor::Device::flex()),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => Ok(burn::tensor::Device::cuda(burn::tensor::DeviceIndex::Default)),
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan => Ok(burn::tensor::Device::vulkan(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "metal")]
        DeviceKind::Metal => Ok(burn::tensor::Device::metal(burn::tensor::DeviceKind::DefaultDevice)),
        missing => Err(missing.not_built_in()),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let message =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("not usable on this machine: {}", message.unwrap_or("the driver gave no reason"))
}

#[cfg(test)]
#[cfg(feature = "burn-cpu")]
mod tests;
