//! Where tensors live: the CPU, or a GPU backend compiled in as a feature and chosen at run time.

use std::{fmt, str::FromStr};

use burn::tensor::{Int, Tensor, TensorData};

use crate::NetworkError;

/// A kind of device, as named by `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// The processor, with this program's own kernels.
    #[default]
    Cpu,
    /// The processor, with Burn's pure Rust backend: the oracle of the kernels.
    BurnCpu,
    /// NVIDIA, feature `cuda`.
    Cuda,
    /// Any GPU with a Vulkan driver, feature `vulkan`.
    Vulkan,
    /// Apple, feature `metal`.
    Metal,
}

/// Every kind of device.
pub const DEVICES: &[DeviceKind] =
    &[DeviceKind::Cpu, DeviceKind::BurnCpu, DeviceKind::Cuda, DeviceKind::Vulkan, DeviceKind::Metal];

impl DeviceKind {
    /// The name used on the command line and as crate feature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::BurnCpu => "burn-cpu",
            Self::Cuda => "cuda",
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for DeviceKind {
    type Err = NetworkError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        DEVICES.iter().copied().find(|kind| kind.name() == name).ok_or_else(|| NetworkError::Device {
            device: name.into(),
            reason: format!(
                "unknown; known are {}",
                DEVICES.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
            ),
        })
    }
}

/// Which implementation of the board operations a device runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernels {
    /// Our own, for the CPU.
    Fused,
    /// Burn's.
    Plain,
}

/// An opened device.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) kind: DeviceKind,
    pub(crate) burn: burn::tensor::Device,
    pub(crate) kernels: Kernels,
}

impl Device {
    /// The CPU, which is always there.
    pub fn cpu() -> Self {
        Self { kind: DeviceKind::Cpu, burn: burn::tensor::Device::flex(), kernels: Kernels::Fused }
    }

    /// Burn on the CPU.
    pub fn burn_cpu() -> Self {
        Self { kind: DeviceKind::BurnCpu, ..Self::cpu() }
    }

    /// Opens a device and runs one small computation on it.
    ///
    /// # Errors
    /// [`NetworkError::Device`] when this binary was built without the backend, or this machine has no such device.
    pub fn open(kind: DeviceKind) -> Result<Self, NetworkError> {
        match kind {
            DeviceKind::Cpu => Ok(Self::cpu()),
            DeviceKind::BurnCpu => Ok(Self::burn_cpu()),
            gpu => {
                // Burn's GPU runtimes report a missing driver or adapter by panicking; here it becomes an error.
                let probe = std::panic::catch_unwind(|| {
                    let device = gpu_device(gpu)?;
                    let sum = Tensor::<1>::from_data([1.0_f32, 2.0], &device).sum();
                    match sum.try_into_scalar::<f32>() {
                        Ok(3.0) => Ok(device),
                        Ok(other) => Err(format!("answers 1 + 2 = {other}")),
                        Err(error) => Err(error.to_string()),
                    }
                });
                let outcome = probe.unwrap_or_else(|panic| Err(panic_message(panic.as_ref())));
                let reason = |reason| NetworkError::Device { device: kind.to_string(), reason };
                let burn = outcome.map_err(reason)?;
                Ok(Self { kind, burn, kernels: Kernels::Plain })
            }
        }
    }

    /// Which kind of device this is.
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }

    pub(crate) fn matrix(&self, values: Vec<f32>, shape: [usize; 2]) -> Tensor<2> {
        Tensor::from_data(TensorData::new(values, shape), &self.burn)
    }

    pub(crate) fn indices(&self, values: Vec<i32>, shape: [usize; 2]) -> Tensor<2, Int> {
        Tensor::from_data(TensorData::new(values, shape), &self.burn)
    }
}

fn gpu_device(kind: DeviceKind) -> Result<burn::tensor::Device, String> {
    match kind {
        #[cfg(feature = "cuda")]
        DeviceKind::Cuda => Ok(burn::tensor::Device::cuda(burn::tensor::DeviceIndex::Default)),
        #[cfg(feature = "vulkan")]
        DeviceKind::Vulkan => Ok(burn::tensor::Device::vulkan(burn::tensor::DeviceKind::DefaultDevice)),
        #[cfg(feature = "metal")]
        DeviceKind::Metal => Ok(burn::tensor::Device::metal(burn::tensor::DeviceKind::DefaultDevice)),
        missing => Err(format!(
            "this binary was built without the `{missing}` feature: cargo build --release --features {missing}"
        )),
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let message =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("not usable on this machine: {}", message.unwrap_or("the driver gave no reason"))
}

#[cfg(test)]
mod tests;
