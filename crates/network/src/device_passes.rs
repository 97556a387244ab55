//! Choice of the implementation that trains on a device.

use crate::{
    NetworkError,
    architecture::Architecture,
    device::{Device, DeviceKind},
    on_burn::OnBurn,
    passes::{Passes, TrainingPrecision, on_cpu::OnCpu},
};

impl Architecture {
    /// The passes of a network on a device, with convolutions in a precision. On the CPU these are the kernels of
    /// towers if they support the network, and those of lists of layers for every other.
    ///
    /// # Errors
    /// [`NetworkError::Device`] when the device cannot compute, or not in this precision; [`NetworkError::Kind`] for a
    /// sparse network.
    pub fn passes(
        &self,
        device: &Device,
        precision: TrainingPrecision,
    ) -> Result<Box<dyn Passes>, NetworkError> {
        let planes = self.planes()?;
        let refuse = |reason: String| {
            Err(NetworkError::Device {
                device: device.kind().to_string(),
                reason: format!("trains in f32 only{reason}"),
            })
        };
        match (device.kind(), planes.tower()) {
            (DeviceKind::Cpu, Ok(tower)) => Ok(Box::new(OnCpu::tower(planes, tower, precision)?)),
            (DeviceKind::Cpu, Err(refusal)) if precision != TrainingPrecision::F32 => {
                refuse(format!(": {refusal}"))
            }
            (DeviceKind::Cpu, Err(refusal)) => Ok(Box::new(OnCpu::layers(planes, refusal)?)),
            _ if precision != TrainingPrecision::F32 => {
                refuse(format!("; precision {precision} is for --device cpu"))
            }
            _ => Ok(Box::new(OnBurn::new(planes, device))),
        }
    }
}
