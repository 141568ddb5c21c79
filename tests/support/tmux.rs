//! A terminal: a session of `tmux` with one program in it.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Far longer than anything on a screen takes, even on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A terminal that is closed when this is dropped.
pub(crate) struct Terminal {
    socket: String,
}

impl Terminal {
    /// Runs a shell command in a new terminal; `None` if `tmux` is not installed. When the command has ended, the screen
    /// shows `STATUS=` and its exit status.
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    pub(crate) fn start(columns: u32, rows: u32, folder: &Path, command: &str) -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let socket = format!("playself-test-{}-{number}", std::process::id());
        let size = [columns, rows].map(|number| number.to_string());
        let shown = format!("{command}; echo STATUS=$?; exec sleep 600");
        let folder = folder.to_str().unwrap();
        let terminal = Self { socket };
        let arguments =
            ["-f", "/dev/null", "new-session", "-d", "-x", &size[0], "-y", &size[1], "-c", folder, &shown];
        match terminal.tmux(&arguments) {
            Ok(output) => {
                assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
                Some(terminal)
            }
            Err(why) => {
                eprintln!("SKIPPED: tmux cannot be started: {why}");
                None
            }
        }
    }

    fn tmux(&self, arguments: &[&str]) -> std::io::Result<Output> {
        // The locale makes tmux write UTF-8.
        Command::new("tmux")
            .env("LC_ALL", "C.UTF-8")
            .args(["-u", "-L", &self.socket])
            .args(arguments)
            .output()
    }

    /// The text on the screen.
    pub(crate) fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]).unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Waits until the screen satisfies a condition, and returns it.
    pub(crate) fn wait_for(&self, what: &str, condition: impl Fn(&str) -> bool) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if condition(&screen) {
                return screen;
            }
            assert!(begun.elapsed() < TIMEOUT, "{what} did not appear:\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the screen contains a text, and returns it.
    pub(crate) fn wait_for_text(&self, text: &str) -> String {
        self.wait_for(text, |screen| screen.contains(text))
    }

    /// Presses a key, as tmux names it: `q`, `C-c`.
    pub(crate) fn press(&self, key: &str) {
        self.tmux(&["send-keys", key]).unwrap();
    }

    /// Changes the size of the terminal.
    pub(crate) fn resize(&self, columns: u32, rows: u32) {
        let size = [columns, rows].map(|number| number.to_string());
        self.tmux(&["resize-window", "-x", &size[0], "-y", &size[1]]).unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}
