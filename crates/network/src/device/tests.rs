use super::*;

#[test]
fn names_are_parsed_and_unknown_ones_answered_with_the_known() {
    for kind in KINDS {
        assert_eq!(kind.name().parse::<DeviceKind>().unwrap(), kind);
    }
    let message = "tpu".parse::<DeviceKind>().unwrap_err().to_string();
    let expected = DEVICES.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    assert_eq!(message, format!("device `tpu`: unknown; expected one of {expected}"));
}

#[test]
#[cfg(not(feature = "vulkan"))]
fn a_device_that_is_not_built_in_says_how_to_build_it() {
    let message = Device::open(DeviceKind::Vulkan).unwrap_err().to_string();
    assert_eq!(
        message,
        "device `vulkan`: this binary was built without the `vulkan` feature: cargo build --release --features vulkan"
    );
}

#[test]
fn the_processors_devices_open_wherever_they_are_compiled_in() {
    assert_eq!(Device::open(DeviceKind::Cpu).unwrap().kind(), DeviceKind::Cpu);
    let burn = Device::open(DeviceKind::BurnCpu);
    assert_eq!(burn.is_ok(), DEVICES.contains(&DeviceKind::BurnCpu), "{:?}", burn.err());
}
