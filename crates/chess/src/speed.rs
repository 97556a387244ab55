//! Classes of time controls.

use serde::{Deserialize, Serialize};

/// Classes of time controls, as Lichess names them. Stores write them in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speed {
    /// Under 30 seconds.
    UltraBullet,
    /// Under 3 minutes.
    Bullet,
    /// Under 8 minutes.
    Blitz,
    /// Under 25 minutes.
    Rapid,
    /// 25 minutes and more.
    Classical,
}

impl Speed {
    /// Every class with its name for command lines and configuration files, fastest first.
    pub const NAMES: &[(&str, Self)] = &[
        ("ultra-bullet", Self::UltraBullet),
        ("bullet", Self::Bullet),
        ("blitz", Self::Blitz),
        ("rapid", Self::Rapid),
        ("classical", Self::Classical),
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_have_the_names_in_snake_case() {
        for &(name, speed) in Speed::NAMES {
            let stored = serde_json::to_string(&speed).unwrap();
            assert_eq!(stored, format!("{:?}", name.replace('-', "_")));
            assert_eq!(serde_json::from_str::<Speed>(&stored).unwrap(), speed);
        }
        assert!(serde_json::from_str::<Speed>("\"ultra-bullet\"").is_err());
    }
}
