//! Runs `tabiya match` in a folder and checks how it ends.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::Value;

pub(crate) fn tabiya(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .arg("match")
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The result of a match with `--json`.
pub(crate) fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Standard error of a command that must fail with this exit code and print no result.
pub(crate) fn failure(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = tabiya(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}
