//! Which implementation trains on a device.

#[cfg(feature = "burn")]
use crate::on_burn::OnBurn;
use crate::{
    NetworkError,
    architecture::Architecture,
    device::{Device, DeviceKind},
    passes::{Passes, on_kernels::OnKernels},
    recipe::TrainingPrecision,
};

/// The passes of a network on a device, with convolutions in a precision.
///
/// # Errors
/// [`NetworkError::Device`] when the device cannot compute, or not in this precision.
pub(crate) fn passes(
    architecture: &Architecture,
    device: &Device,
    precision: TrainingPrecision,
) -> Result<Box<dyn Passes>, NetworkError> {
    if device.kind() != DeviceKind::Cpu && precision != TrainingPrecision::F32 {
        let reason = format!("trains in f32 only; precision {precision} is for --device cpu");
        return Err(NetworkError::Device { device: device.kind().to_string(), reason });
    }
    #[cfg(feature = "burn")]
    if device.burn.is_some() {
        return Ok(Box::new(OnBurn::new(architecture, device)));
    }
    debug_assert_eq!(device.kind(), DeviceKind::Cpu, "no other device without Burn");
    Ok(Box::new(OnKernels::new(architecture, precision)?))
}
