use super::*;
use crate::{
    DEVICES, Device, Learner, OptimiserConfig, Spec, TrainingPrecision, device::DeviceKind,
    device_passes::passes, initialisation::initial_parameters, synthetic,
};

#[test]
fn a_batch_of_another_encoding_is_refused() {
    let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
    let parameters = initial_parameters(&architecture, 1).unwrap();
    let other = Spec::from_toml("input = \"lc0-112\"\nblocks = 1\nchannels = 16").unwrap();
    let batch = synthetic::batch(&other, &synthetic::positions(2, 1), 1);
    for kind in DEVICES {
        let Ok(device) = Device::open(*kind) else { continue };
        let mut passes = passes(&architecture, &device, TrainingPrecision::F32).unwrap();
        let error = passes.answers(&parameters, Moments::Batch, &batch).unwrap_err().to_string();
        assert!(error.contains("a batch of 112 planes for a network of 20"), "{kind}: {error}");
    }
}

/// The portable kernels and those of this machine's instruction set in 16-bit products, which must learn like 32-bit ones.
#[test]
fn sixteen_bit_products_learn_alike() {
    let spec = synthetic::tiny_spec();
    let batches: Vec<Batch> =
        (0..4).map(|seed| synthetic::batch(&spec, &synthetic::positions(32, seed), seed)).collect();
    let losses = [TrainingPrecision::F32, TrainingPrecision::Bf16].map(|precision| {
        let mut learner =
            Learner::new(&spec, LossConfig::default(), OptimiserConfig::default(), 3, &Device::cpu())
                .unwrap()
                .with_precision(precision);
        let mut losses = Vec::new();
        for step in 0..60 {
            // A machine whose instruction set has no such products says so, and there is nothing to compare.
            let Ok(learner) = &mut learner else { return losses };
            losses.push(learner.step(&batches[step % batches.len()], 3e-3).unwrap().total_loss);
        }
        losses
    });
    let [exact, rounded] = losses;
    if rounded.is_empty() {
        assert!(!crate::Isa::chosen().unwrap().precisions().contains(&crate::Precision::Bf16));
        return;
    }
    assert!(exact != rounded && (exact[0] - rounded[0]).abs() < 0.02, "{exact:?} and {rounded:?}");
    let mean = |losses: &[f32]| losses[50..].iter().sum::<f32>() / 10.0;
    assert!((mean(&exact) / mean(&rounded) - 1.0).abs() < 0.05, "{exact:?} and {rounded:?}");
}

#[test]
fn other_devices_refuse_sixteen_bits_by_name() {
    let architecture = Architecture::new(&synthetic::tiny_spec()).unwrap();
    for kind in DEVICES.iter().filter(|kind| **kind != DeviceKind::Cpu) {
        let Ok(device) = Device::open(*kind) else { continue };
        let message = passes(&architecture, &device, TrainingPrecision::Bf16).err().unwrap().to_string();
        assert_eq!(
            message,
            format!("device `{kind}`: trains in f32 only; precision bf16 is for --device cpu")
        );
    }
}
