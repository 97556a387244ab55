//! Devices that run networks: the CPU, or a Burn device compiled in as a feature. The device is chosen at run time.

#[cfg(feature = "burn-cpu")]
mod burn_device;

use std::{fmt, str::FromStr};

use crate::NetworkError;

#[cfg(feature = "burn-cpu")]
pub(crate) use burn_device::BurnDevice;

/// A kind of device, as named by `--device`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceKind {
    /// The processor, with this program's own kernels.
    #[default]
    Cpu,
    /// The processor with Burn's pure Rust backend, the oracle of the kernels; feature `burn-cpu`.
    BurnCpu,
    /// NVIDIA GPUs, feature `cuda`.
    Cuda,
    /// Any GPU with a Vulkan driver, feature `vulkan`. Without such a driver, wgpu uses Direct3D 12 or OpenGL.
    Vulkan,
    /// Apple GPUs, feature `metal`.
    Metal,
}

/// Every kind of device, compiled in or not. For a name in this list that is not compiled in, the error names its
/// feature.
const KINDS: [DeviceKind; 5] =
    [DeviceKind::Cpu, DeviceKind::BurnCpu, DeviceKind::Cuda, DeviceKind::Vulkan, DeviceKind::Metal];

/// The kinds of device that are compiled in.
pub const DEVICES: &[DeviceKind] = &[
    DeviceKind::Cpu,
    #[cfg(feature = "burn-cpu")]
    DeviceKind::BurnCpu,
    #[cfg(feature = "cuda")]
    DeviceKind::Cuda,
    #[cfg(feature = "vulkan")]
    DeviceKind::Vulkan,
    #[cfg(feature = "metal")]
    DeviceKind::Metal,
];

impl DeviceKind {
    /// The name used on the command line; except for the CPU, also the name of the crate's feature.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::BurnCpu => "burn-cpu",
            Self::Cuda => "cuda",
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
        }
    }

    /// The error message for a device that is not compiled in.
    fn not_built_in(self) -> String {
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
        KINDS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| NetworkError::Device {
            device: name.into(),
            reason: format!(
                "unknown; expected one of {}",
                DEVICES.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
            ),
        })
    }
}

/// A device with its backend, opened once for all networks on it.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) backend: Backend,
}

/// The implementation of a device's arithmetic.
#[derive(Clone, Debug)]
pub(crate) enum Backend {
    Kernels,
    #[cfg(feature = "burn-cpu")]
    Burn(BurnDevice),
}

impl Device {
    /// The CPU, which is always available.
    pub fn cpu() -> Self {
        Self { backend: Backend::Kernels }
    }

    /// Opens a device and runs one small computation on it.
    ///
    /// # Errors
    /// [`NetworkError::Device`] if this binary was built without the backend, or this machine has no such device.
    pub fn open(kind: DeviceKind) -> Result<Self, NetworkError> {
        if kind == DeviceKind::Cpu {
            return Ok(Self::cpu());
        }
        #[cfg(feature = "burn-cpu")]
        let opened = BurnDevice::open(kind).map(|burn| Self { backend: Backend::Burn(burn) });
        #[cfg(not(feature = "burn-cpu"))]
        let opened = Err(kind.not_built_in());
        opened.map_err(|reason| NetworkError::Device { device: kind.to_string(), reason })
    }

    /// The kind of this device.
    pub fn kind(&self) -> DeviceKind {
        match &self.backend {
            Backend::Kernels => DeviceKind::Cpu,
            #[cfg(feature = "burn-cpu")]
            Backend::Burn(burn) => burn.kind(),
        }
    }
}

#[cfg(test)]
mod tests;
