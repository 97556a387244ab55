//! Declares options: one line each gives a field of a group, the UCI name, type, default and range.

macro_rules! kind {
    (f32, $default:expr, $min:expr, $max:expr) => {
        chess::TunableKind::Float { default: $default, min: $min, max: $max }
    };
    (u64, $default:expr, $min:expr, $max:expr) => {
        chess::TunableKind::Integer { default: $default, min: $min, max: $max }
    };
    (bool, $default:expr, $min:expr, $max:expr) => {
        chess::TunableKind::Flag { default: $default }
    };
}

/// The variant of [`chess::Value`] for a type that options have in code: an expression or a pattern.
macro_rules! value {
    (f32, $value:tt) => {
        chess::Value::Float($value)
    };
    (u64, $value:tt) => {
        chess::Value::Integer($value)
    };
    (bool, $value:tt) => {
        chess::Value::Flag($value)
    };
}

macro_rules! tunables {
    (
        $(#[$about:meta])*
        $group:ident
        $($name:literal $field:ident: $type:ident = $default:literal in $min:literal, $max:expr; $help:literal)+
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
                Self {
                    $($field: match tunables.next().map(|tunable| options.get(tunable)) {
                        Some($crate::tunables::value!($type, found)) => found,
                        _ => $default,
                    },)+
                }
            }

            /// Sets the group's values among all options.
            pub fn write(&self, options: &mut chess::SearchOptions) {
                let values = [$($crate::tunables::value!($type, (self.$field)),)+];
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

pub(crate) use {kind, tunables, value};
