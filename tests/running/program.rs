//! Runs the program in a folder and checks how it ends.

#![allow(dead_code, reason = "each file of tests calls some of these")]

use std::{
    path::Path,
    process::{Command, Output},
};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya");

/// What a command in this folder returned.
pub(crate) fn tabiya(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(PROGRAM).args(arguments).current_dir(folder).output().unwrap()
}

/// Standard output of a command that must succeed.
pub(crate) fn success(folder: &Path, arguments: &[&str]) -> String {
    let output = tabiya(folder, arguments);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard error of a command that must fail.
pub(crate) fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}
