use std::{
    fs,
    process::{Command, Stdio},
};

use super::*;

#[test]
fn an_open_file_is_at_its_name_until_another_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let [path, other] = ["a", "b"].map(|name| folder.path().join(name));
    fs::write(&other, "b").unwrap();
    let file = File::create(&path).unwrap();
    assert!(is_at(&file, &path));
    assert!(is_same_file(&path, &folder.path().join(".").join("a")));
    assert!(!is_same_file(&path, &other));
    assert!(!is_same_file(&path, &folder.path().join("none")));
    sync_folder(folder.path()).unwrap();
}

/// Defect N5: a hard link has its own path.
#[cfg(unix)]
#[test]
fn names_lead_to_one_file_through_links() {
    let folder = tempfile::tempdir().unwrap();
    let [path, hard, soft] = ["a", "hard", "soft"].map(|name| folder.path().join(name));
    let file = File::create(&path).unwrap();
    fs::hard_link(&path, &hard).unwrap();
    std::os::unix::fs::symlink("a", &soft).unwrap();
    assert!(is_same_file(&path, &hard) && is_same_file(&path, &soft));
    assert!(is_at(&file, &hard) && !is_at(&file, &soft), "a link is a file of its own");
    let mut options = OpenOptions::new();
    options.read(true);
    assert!(options.open(&soft).is_ok());
    refuse_links(&mut options);
    assert!(options.open(&soft).is_err());
    assert!(options.open(&path).is_ok());
    fs::remove_file(&path).unwrap();
    File::create(&path).unwrap();
    assert!(!is_at(&file, &path));
}

#[cfg(unix)]
#[test]
fn permissions_say_who_may_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, new_file_permissions(true).unwrap()).unwrap();
    assert_eq!(open_permissions(&path).unwrap(), None);
    fs::set_permissions(&path, new_file_permissions(false).unwrap()).unwrap();
    assert_eq!(open_permissions(&path).unwrap(), Some(0o666));
    assert!(open_permissions(&folder.path().join("none")).is_err());
}

#[cfg(unix)]
#[test]
fn a_command_of_a_group_of_its_own_ends_when_told() {
    use std::os::unix::process::ExitStatusExt as _;
    let mut command = Command::new("sleep");
    command.arg("60").stdout(Stdio::null());
    shield_from_ctrl_c(&mut command);
    let mut child = command.spawn().unwrap();
    let group = rustix::process::getpgid(Some(rustix::process::Pid::from_child(&child))).unwrap();
    assert_eq!(group, rustix::process::Pid::from_child(&child));
    end(&child).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

#[cfg(target_os = "linux")]
#[test]
fn linux_tells_load_time_and_memory() {
    assert!(load_average().unwrap().parse::<f64>().unwrap() >= 0.0);
    assert!(processor_seconds().unwrap() >= 0.0);
    // Of a child, once it has ended.
    let before = processor_seconds_of_children().unwrap();
    Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"]).status().unwrap();
    assert!(processor_seconds_of_children().unwrap() > before);
    assert!(resident_memory().unwrap() <= peak_memory().unwrap());
}
