//! Devices that run networks: the CPU, or a device of Burn compiled in as a feature; chosen at run time.

mod burn_device;

use std::{fmt, str::FromStr};

use crate::NetworkError;

/// A kind of device, as named by `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// The processor, with this program's own kernels.
    #[default]
    Cpu,
    /// The processor, with Burn's pure Rust backend: every network, and the oracle of the kernels.
    BurnCpu,
    /// NVIDIA GPUs, feature `cuda`.
    Cuda,
    /// Any GPU with a Vulkan driver, feature `vulkan`. Without such a driver wgpu takes Direct3D 12 or OpenGL.
    Vulkan,
    /// Apple GPUs, feature `metal`.
    Metal,
}

/// Every kind of device, compiled in or not.
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

    /// The reason for a missing device: each but the CPU's two is a feature of the same name.
    pub(crate) fn not_built_in(self) -> String {
        format!("this binary was built without the `{self}` feature: cargo build --release --features {self}")
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

/// An opened device.
#[derive(Clone, Debug)]
pub struct Device {
    kind: DeviceKind,
    /// The device of Burn's tensors; `None` on the CPU.
    pub(crate) burn: Option<burn::tensor::Device>,
}

impl Device {
    /// The CPU, which is always there.
    pub fn cpu() -> Self {
        Self { kind: DeviceKind::Cpu, burn: None }
    }

    /// Burn on the processor, which is always there too.
    pub(crate) fn burn_cpu() -> Self {
        Self { kind: DeviceKind::BurnCpu, burn: Some(burn::tensor::Device::flex()) }
    }

    /// Opens a device and runs one small computation on it.
    ///
    /// # Errors
    /// [`NetworkError::Device`] when this binary was built without the backend, or this machine has no such device.
    pub fn open(kind: DeviceKind) -> Result<Self, NetworkError> {
        match kind {
            DeviceKind::Cpu => return Ok(Self::cpu()),
            DeviceKind::BurnCpu => return Ok(Self::burn_cpu()),
            DeviceKind::Cuda | DeviceKind::Vulkan | DeviceKind::Metal => {}
        }
        let failed = |reason| NetworkError::Device { device: kind.to_string(), reason };
        Ok(Self { kind, burn: Some(burn_device::open(kind).map_err(failed)?) })
    }

    /// The kind of this device.
    pub fn kind(&self) -> DeviceKind {
        self.kind
    }
}

#[cfg(test)]
mod tests;
