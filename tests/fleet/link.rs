//! A worker behind a link of its own: a network namespace, connected to this machine by a cable that can be pulled.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU8, Ordering};

/// A network namespace with one link, removed when this is dropped.
pub(crate) struct Link {
    name: String,
    network: String,
}

impl Link {
    /// Lays the link; `None` where that is not allowed.
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    pub(crate) fn lay() -> Option<Self> {
        static NEXT: AtomicU8 = AtomicU8::new(0);
        let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let name = format!("ps{process}n{number}");
        let link = Self { network: format!("10.231.{}.{}", process % 256, number % 64 * 4), name };
        let Self { name, .. } = &link;
        let (here, there) = (link.interface(), format!("{name}b"));
        let commands = [
            format!("netns add {name}"),
            format!("link add {here} type veth peer name {there} netns {name}"),
            format!("address add {}/30 dev {here}", link.address(1)),
            format!("link set {here} up"),
            format!("-n {name} address add {}/30 dev {there}", link.address(2)),
            format!("-n {name} link set {there} up"),
            format!("-n {name} link set lo up"),
        ];
        if let Some(failed) = commands.iter().find(|command| !ip(command)) {
            eprintln!("skipped: this system does not allow network namespaces (ip {failed})");
            return None;
        }
        Some(link)
    }

    fn interface(&self) -> String {
        format!("{}a", self.name)
    }

    fn address(&self, host: u8) -> String {
        let (network, last) = self.network.rsplit_once('.').unwrap();
        format!("{network}.{}", last.parse::<u8>().unwrap() + host)
    }

    /// Address of this machine at the other end.
    pub(crate) fn gateway(&self) -> String {
        self.address(1)
    }

    /// The command, inside.
    pub(crate) fn command(&self, command: &Command) -> Command {
        let mut inside = ip_command();
        inside.args(["netns", "exec", &self.name]).arg(command.get_program()).args(command.get_args());
        inside
    }

    /// Pulls the cable: nothing arrives, and no connection learns of it.
    pub(crate) fn unplug(&self) {
        assert!(ip(&format!("link set {} down", self.interface())));
    }

    /// Plugs the cable in again.
    pub(crate) fn plug(&self) {
        assert!(ip(&format!("link set {} up", self.interface())));
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // Its end of the link goes with it.
        ip(&format!("netns delete {}", self.name));
        ip(&format!("link delete {}", self.interface()));
    }
}

/// The program `ip`, which Debian installs where not every user looks.
fn ip_command() -> Command {
    let folders = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"].map(|folder| Path::new(folder).join("ip"));
    Command::new(folders.into_iter().find(|path| path.is_file()).unwrap_or_else(|| "ip".into()))
}

/// Runs `ip`; returns whether it succeeded.
fn ip(arguments: &str) -> bool {
    ip_command().args(arguments.split(' ')).output().is_ok_and(|output| output.status.success())
}
