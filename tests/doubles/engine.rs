//! A shell script in place of a UCI engine.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// Writes the engine `name` into the folder; `go` is what it runs when asked for a move in `$position`, `options` are what it
/// declares. It appends the options that it is sent to `NAME.options`, and exports the file `NAME.network` beside it, if there is one.
pub(crate) fn engine(folder: &Path, name: &str, options: &[&str], go: &str) {
    let path = folder.join(name);
    let declared = options.iter().map(|option| format!("echo '{option}'; ")).collect::<Vec<_>>().concat();
    let script = format!(
        "#!/bin/sh\nwhile read -r word rest; do case $word in uci) echo id name {name}; {declared}echo uciok;; isready) echo \
         readyok;; position) position=$rest;; setoption) echo \"$rest\" >> \"$0.options\";; go) {go};; \
         export_net) cp \"$0.network\" \"$rest\";; quit) exit;; esac; done\n"
    );
    write_program(&path, &script);
}

/// Writes a file that can be executed, as a new file and by another process. A file that this process has open for writing is also open
/// in every child of its other threads between fork and exec, and executing it meanwhile fails ("Text file busy"); so does writing to
/// one that is just being executed.
pub(crate) fn write_program(path: &Path, text: &str) {
    let write = r#"rm -f "$0" && cat > "$0" && chmod 755 "$0""#;
    let mut shell = Command::new("sh").arg("-c").arg(write).arg(path).stdin(Stdio::piped()).spawn().unwrap();
    shell.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success(), "cannot write {}", path.display());
}
