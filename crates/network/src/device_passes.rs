//! Which implementation trains on a device.

use crate::{
    NetworkError,
    architecture::Architecture,
    device::{Device, DeviceKind},
    on_burn::OnBurn,
    passes::{Passes, TrainingPrecision, on_kernels::OnKernels},
};

impl Architecture {
    /// The passes of a network on a device, with convolutions in a precision. On the CPU these are the kernels where they know the
    /// network's layers, and Burn elsewhere.
    ///
    /// # Errors
    /// [`NetworkError::Device`] when the device cannot compute, or not in this precision; [`NetworkError::Kind`] for a sparse
    /// network.
    pub fn passes(
        &self,
        device: &Device,
        precision: TrainingPrecision,
    ) -> Result<Box<dyn Passes>, NetworkError> {
        let planes = self.planes()?;
        let (device, reason) = match (device.kind(), planes.tower()) {
            (DeviceKind::Cpu, Ok(tower)) => {
                return Ok(Box::new(OnKernels::new(planes, tower, precision)?));
            }
            (DeviceKind::Cpu, Err(refusal)) => (Device::burn_cpu(), Some(refusal.to_string())),
            _ => (device.clone(), None),
        };
        if precision != TrainingPrecision::F32 {
            let reason = reason.map_or_else(
                || format!("trains in f32 only; precision {precision} is for --device cpu"),
                |refusal| format!("trains in f32 only: {refusal}"),
            );
            return Err(NetworkError::Device { device: device.kind().to_string(), reason });
        }
        Ok(Box::new(OnBurn::new(planes, &device, reason)))
    }
}
