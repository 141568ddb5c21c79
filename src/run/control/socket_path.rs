//! Sockets in folders whose paths exceed the length of a socket address.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

/// Length of a socket address in bytes, including the terminating zero.
const ADDRESS: usize = 108;

/// Calls `reach` with a path to `socket` that fits into an address.
pub fn with_short_path<T>(socket: &Path, reach: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else { return reach(socket) };
    if socket.as_os_str().len() < ADDRESS {
        return reach(socket);
    }
    // An open folder can be reached by a short path under /proc, however long its name is.
    let folder = File::open(folder)?;
    reach(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_socket_is_reached_in_a_folder_of_any_length() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["short".to_owned(), "long".repeat(50)] {
            let socket = root.path().join(folder).join("control.sock");
            std::fs::create_dir(socket.parent().unwrap()).unwrap();
            let _listener = with_short_path(&socket, |path| UnixListener::bind(path)).unwrap();
            assert!(socket.exists());
            with_short_path(&socket, |path| UnixStream::connect(path)).unwrap();
        }
    }
}
