//! Burn devices.

use burn::tensor::{Tensor, TensorData};

use super::DeviceKind;

/// An open Burn device.
#[derive(Clone, Debug)]
pub(crate) struct BurnDevice {
    kind: DeviceKind,
    tensors: burn::tensor::Device,
}

impl BurnDevice {
    /// Opens a device and runs one small computation on it. Burn's runtimes report a missing driver or adapter by panicking;
    /// this function returns it as a reason.
    pub(crate) fn open(kind: DeviceKind) -> Result<Self, String> {
        // Otherwise Burn's threads would also print their panics, which are returned here as one reason.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let probe = std::panic::catch_unwind(|| {
            let tensors = device(kind)?;
            let sum = Tensor::<1>::from_data([1.0_f32, 2.0], &tensors).sum();
            match sum.try_into_scalar::<f32>() {
                Ok(3.0) => Ok(Self { kind, tensors }),
                Ok(other) => Err(format!("answers 1 + 2 = {other}")),
                Err(error) => Err(error.to_string()),
            }
        });
        std::panic::set_hook(hook);
        probe.unwrap_or_else(|panic| Err(panic_message(panic.as_ref())))
    }

    pub(crate) fn kind(&self) -> DeviceKind {
        self.kind
    }

    pub(crate) fn tensor(&self, values: Vec<f32>, shape: [usize; 4]) -> Tensor<4> {
        Tensor::from_data(TensorData::new(values, shape), &self.tensors)
    }

    pub(crate) fn matrix(&self, values: Vec<f32>, shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, shape), &self.tensors)
    }
}

fn device(kind: DeviceKind) -> Result<burn::tensor::Device, String> {
    match kind {
        DeviceKind::BurnCpu => Ok(burn::tensor::Device::flex()),
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => Ok(burn::tensor::Device::cuda(burn::tensor::DeviceIndex::Default)),
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan => Ok(burn::tensor::Device::wgpu(burn::tensor::DeviceKind::DefaultDevice)),
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
