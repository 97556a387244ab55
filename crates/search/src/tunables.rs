//! Declares options: one line each gives a field of a group, the UCI name, type, default and range.

use chess::{OptionType, SearchOptions, Tunable};

macro_rules! kind {
    (f32, $default:expr, $min:expr, $max:expr) => {
        chess::Kind::Float { default: $default, min: $min, max: $max }
    };
    (u64, $default:expr, $min:expr, $max:expr) => {
        chess::Kind::Integer { default: $default, min: $min, max: $max }
    };
    (bool, $default:expr, $min:expr, $max:expr) => {
        chess::Kind::Flag { default: $default }
    };
}

macro_rules! tunables {
    (
        $(#[$about:meta])*
        $group:ident
        $($name:literal $field:ident: $type:ident = $default:literal in $min:literal, $max:literal; $help:literal)+
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $group {
            $(#[doc = $help] pub $field: $type,)+
        }

        impl $group {
            /// The options of this group.
            pub const TUNABLES: &'static [chess::Tunable] = &[$(chess::Tunable {
                name: $name,
                help: $help,
                kind: $crate::tunables::kind!($type, $default, $min, $max),
            },)+];

            /// The group's values among all options.
            pub fn read(options: &chess::SearchOptions) -> Self {
                let mut tunables = Self::TUNABLES.iter();
                Self { $($field: $crate::tunables::next(&mut tunables, options, $default),)+ }
            }

            /// Sets the group's values among all options.
            pub fn write(&self, options: &mut chess::SearchOptions) {
                let values = [$(chess::OptionType::into_value(self.$field),)+];
                for (tunable, value) in Self::TUNABLES.iter().zip(values) {
                    options.set(tunable, value);
                }
            }
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($field: $default,)+ }
            }
        }
    };
}

pub(crate) use {kind, tunables};

/// The value of the next of a group's options.
pub(crate) fn next<T: OptionType>(
    tunables: &mut std::slice::Iter<'_, Tunable>,
    options: &SearchOptions,
    default: T,
) -> T {
    tunables.next().and_then(|tunable| T::from_value(options.get(tunable))).unwrap_or(default)
}
