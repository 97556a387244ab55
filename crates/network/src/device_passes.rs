//! Selects the implementation that trains on a device.

use crate::{
    NetworkError,
    architecture::Architecture,
    device::{Backend, Device},
    passes::{Passes, TrainingPrecision, on_cpu::OnCpu},
};

impl Architecture {
    /// The passes of a network on a device, with convolutions in a given precision. On the CPU these are the kernels
    /// for towers if they support the network, otherwise the kernels for lists of layers.
    ///
    /// # Errors
    /// [`NetworkError::Device`] if the device cannot train, or not in this precision; [`NetworkError::Kind`] for a
    /// sparse network.
    pub fn passes(
        &self,
        device: &Device,
        precision: TrainingPrecision,
    ) -> Result<Box<dyn Passes>, NetworkError> {
        let planes = self.planes()?;
        let f32_alone = |reason: String| NetworkError::Device {
            device: device.kind().to_string(),
            reason: format!("trains in f32 only{reason} (use precision f32)"),
        };
        match &device.backend {
            Backend::Kernels => match planes.tower() {
                Ok(tower) => Ok(Box::new(OnCpu::tower(planes, tower, precision)?)),
                Err(refusal) if precision != TrainingPrecision::F32 => Err(f32_alone(format!(": {refusal}"))),
                Err(_) => Ok(Box::new(OnCpu::layers(planes)?)),
            },
            #[cfg(feature = "burn-cpu")]
            Backend::Burn(_) if precision != TrainingPrecision::F32 => {
                Err(f32_alone(format!("; precision {precision} is only for --device cpu")))
            }
            #[cfg(feature = "burn-cpu")]
            Backend::Burn(burn) => Ok(Box::new(crate::on_burn::OnBurn::new(planes, burn))),
        }
    }
}
