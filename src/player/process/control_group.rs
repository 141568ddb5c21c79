//! A control group (cgroup v2) of all engines of a run, where the system allows us to make one.
//!
//! Nothing leaves its group by forking, and the kernel kills everything in it at once.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Time that killed processes may take to leave the group.
const LEAVE_LIMIT: Duration = Duration::from_millis(500);
/// Pause between two attempts to remove the group.
const LEAVE_POLL: Duration = Duration::from_millis(2);

/// A control group below our own.
#[derive(Debug)]
pub(super) struct ControlGroup {
    path: PathBuf,
    /// The file through which a process joins the group, open while there are processes to start.
    entrance: Option<Arc<OwnedFd>>,
}

impl ControlGroup {
    /// Creates a group; `None` where we may not, which is the usual case for a session of a desktop.
    pub(super) fn create(name: &str) -> Option<Self> {
        // Under systemd, root may only use groups that were delegated, and cannot see which were.
        if nix::unistd::geteuid().is_root() && Path::new("/run/systemd/system").exists() {
            return None;
        }
        let path = own_group()?.join(format!("playself-{name}"));
        fs::create_dir(&path).ok()?;
        let entrance = OpenOptions::new().write(true).open(path.join("cgroup.procs"));
        let group = Self { entrance: entrance.ok().map(|file| Arc::new(file.into())), path };
        // Kernels before 5.14 cannot kill a group, and a group that we cannot enter is no use.
        if group.entrance.is_none() || !group.path.join("cgroup.kill").exists() {
            group.remove();
            return None;
        }
        Some(group)
    }

    /// Returns the group with this path, which another process has created.
    pub(super) fn existing(path: PathBuf) -> Self {
        Self { path, entrance: None }
    }

    /// Returns the path of the group.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file through which a process joins the group.
    pub(super) fn entrance(&self) -> Option<Arc<OwnedFd>> {
        self.entrance.clone()
    }

    /// Kills everything in the group.
    pub(super) fn kill(&self) {
        let _ = fs::write(self.path.join("cgroup.kill"), "1");
    }

    /// Removes the group once its processes have left it.
    pub(super) fn remove(self) {
        let started = Instant::now();
        while remove_tree(&self.path).is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
            && started.elapsed() < LEAVE_LIMIT
        {
            thread::sleep(LEAVE_POLL);
        }
    }
}

/// Removes a group and those that engines have made in it. The files of a group are no files of its own.
fn remove_tree(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_tree(&entry.path())?;
        }
    }
    fs::remove_dir(path)
}

/// Returns the folder of the control group in which this process is.
fn own_group() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    Some(mount_of_groups(&mounts)?.join(path))
}

/// Returns where the file system of control groups is mounted, given the text of `/proc/self/mountinfo`.
fn mount_of_groups(mounts: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut fields = before.split(' ').skip(3);
        // A mount of a part of the tree would need the path of that part removed from ours.
        let (root, place) = (fields.next()?, fields.next()?);
        (after.starts_with("cgroup2 ") && root == "/").then(|| PathBuf::from(place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_of_control_groups_is_found_among_others() {
        let mounts = "22 1 8:1 / / rw - ext4 /dev/sda rw\n\
                      31 22 0:26 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
                      32 22 0:27 /part /elsewhere rw shared:4 - cgroup2 cgroup2 rw\n\
                      33 22 0:27 / /sys/fs/cgroup/unified rw,relatime shared:5 - cgroup2 cgroup2 rw\n";
        assert_eq!(mount_of_groups(mounts), Some(PathBuf::from("/sys/fs/cgroup/unified")));
        assert_eq!(mount_of_groups("22 1 8:1 / / rw - ext4 /dev/sda rw\n"), None);
    }

    #[test]
    fn row_181_groups_that_engines_make_in_the_group_of_a_run_are_removed_with_it() {
        let name = format!("test-{}", std::process::id());
        // Where no group can be made, there is none to remove.
        let Some(group) = ControlGroup::create(&name) else { return };
        let path = group.path().to_owned();
        fs::create_dir_all(path.join("inner/deeper")).unwrap();
        group.kill();
        group.remove();
        assert!(!path.exists());
    }
}
