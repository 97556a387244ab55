use super::*;

#[test]
fn names_are_parsed_and_unknown_ones_answered_with_the_known() {
    for kind in DEVICES {
        assert_eq!(kind.name().parse::<DeviceKind>().unwrap(), *kind);
    }
    let message = "tpu".parse::<DeviceKind>().unwrap_err().to_string();
    assert_eq!(message, "device `tpu`: unknown; known are cpu, burn-cpu, cuda, vulkan, metal");
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
fn burn_opens_its_device_on_the_cpu() {
    assert_eq!(Device::open(DeviceKind::BurnCpu).unwrap().kind(), DeviceKind::BurnCpu);
}

#[test]
fn the_cpu_is_always_there() {
    assert_eq!(Device::open(DeviceKind::Cpu).unwrap().kind(), DeviceKind::Cpu);
}
