//! A shell script in place of a UCI engine.

use std::{os::unix::fs::PermissionsExt as _, path::Path};

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
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
