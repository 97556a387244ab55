//! Any text, and a damaged table, as a strength table: a table that is accepted has a setting for every rating
//! requested.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strength::{StrengthSetting, StrengthTable};
use tabiya_fuzz::{Damage, damaged};

static TABLE: &[u8] = include_bytes!("../../nets/default.tabiya.strength.json");

fn check(text: &str) {
    let Ok(table) = StrengthTable::from_json(text) else { return };
    let (low, high) = table.range();
    assert!(low <= high, "{low} {high}");
    for elo in [f64::from(low), f64::from(high), f64::from(low.midpoint(high)), -1e9, 1e9, f64::NAN] {
        let setting = table.setting_for(elo);
        assert!(setting.nodes >= 1 && setting.temperature.is_finite(), "{elo}: {setting}");
    }
}

fuzz_target!(|input: (Damage, &[u8])| {
    let (damage, bytes) = input;
    check(&String::from_utf8_lossy(&damaged(TABLE, &damage)));
    let text = String::from_utf8_lossy(bytes);
    check(&text);
    if let Ok(setting) = text.parse::<StrengthSetting>() {
        let written = setting.to_string();
        assert_eq!(written.parse::<StrengthSetting>().expect("what was written").to_string(), written);
    }
});
