//! A real `nats-server` on a free port of this machine, and a proxy that spoils the way to it.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// A server with its own folder, killed when this is dropped.
pub(crate) struct NatsServer {
    program: PathBuf,
    process: Child,
    dir: TempDir,
    config: PathBuf,
    port: u16,
}

impl NatsServer {
    /// Starts a server that admits every client. `None` where the program is not installed, with a message.
    pub(crate) fn start() -> Option<Self> {
        Self::with_config("")
    }

    /// Starts a server whose configuration has these lines, too.
    pub(crate) fn with_config(lines: &str) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("nats.conf");
        let store = dir.path().join("store");
        let text = format!("host: 127.0.0.1\njetstream {{ store_dir: {store:?} }}\n{lines}\n");
        fs::write(&config, text).unwrap();
        Self::launch(dir, config)
    }

    /// Starts a server with a configuration file whose port is ignored. The folder of the file is not deleted.
    pub(crate) fn with_config_file(config: &Path) -> Option<Self> {
        Self::launch(tempfile::tempdir().unwrap(), config.to_owned())
    }

    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    fn launch(dir: TempDir, config: PathBuf) -> Option<Self> {
        let Some(program) = program() else {
            eprintln!("skipped: nats-server is not installed (apt-get install nats-server)");
            return None;
        };
        // The server chooses its port: one found here could be taken by the time it starts.
        let process = spawn(&program, &config, dir.path(), "-1");
        let file = dir.path().join(format!("nats-server_{}.ports", process.id()));
        let mut server = Self { program, process, dir, config, port: 0 };
        let port = server.wait_for("the server does not state its port", || {
            let ports: serde_json::Value = serde_json::from_slice(&fs::read(&file).ok()?).ok()?;
            ports["nats"][0].as_str()?.rsplit_once(':')?.1.parse().ok()
        });
        server.port = port;
        server.wait_until_it_greets();
        Some(server)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// What the server has written to its log.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.dir.path().join("log")).unwrap_or_default()
    }

    /// Kills the server with SIGKILL.
    pub(crate) fn kill(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Starts the server again, on the same port and with the same store, after a kill if it lives.
    pub(crate) fn restart(&mut self) {
        self.kill();
        let port = self.port.to_string();
        self.process = spawn(&self.program, &self.config, self.dir.path(), &port);
        self.wait_until_it_greets();
    }

    /// Kills the server, deletes everything that it stored, and starts it again.
    pub(crate) fn wipe(&mut self) {
        self.kill();
        fs::remove_dir_all(self.dir.path().join("store")).unwrap();
        self.restart();
    }

    /// Stops the process of the server until [`thaw`](Self::thaw).
    pub(crate) fn freeze(&self) {
        self.signal(Signal::SIGSTOP);
    }

    /// Lets a frozen server continue.
    pub(crate) fn thaw(&self) {
        self.signal(Signal::SIGCONT);
    }

    /// Makes the server read its configuration again.
    pub(crate) fn reload(&self) {
        self.signal(Signal::SIGHUP);
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.process.id().cast_signed()), signal).unwrap();
    }

    fn wait_until_it_greets(&mut self) {
        let port = self.port;
        self.wait_for("the server does not greet", || {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
            stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
            let mut start = [0; 5];
            stream.read_exact(&mut start).ok()?;
            (&start == b"INFO ").then_some(())
        });
    }

    fn wait_for<T>(&mut self, what: &str, mut found: impl FnMut() -> Option<T>) -> T {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(value) = found() {
                return value;
            }
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none(), "nats-server ended with {ended:?}: {}", self.log());
            assert!(Instant::now() < deadline, "{what}: {}", self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The program, which Debian installs where not every user looks.
pub(crate) fn program() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&paths).chain(["/usr/sbin".into(), "/usr/local/sbin".into()]);
    folders.map(|folder| folder.join("nats-server")).find(|path| path.is_file())
}

fn spawn(program: &Path, config: &Path, dir: &Path, port: &str) -> Child {
    let log = fs::File::options().create(true).append(true).open(dir.join("log")).unwrap();
    Command::new(program)
        .args(["-a", "127.0.0.1", "-p", port, "--ports_file_dir"])
        .arg(dir)
        .arg("-c")
        .arg(config)
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// What a proxy does with the bytes.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Open = 0,
    /// No connection lives, none is accepted.
    Cut = 1,
    /// Connections live, but nothing gets through.
    Silent = 2,
}

/// A proxy in front of a server, in this process.
pub(crate) struct Proxy {
    host: String,
    port: u16,
    state: Arc<ProxyState>,
}

struct ProxyState {
    way: AtomicU8,
    delay_ms: AtomicU64,
    damages: AtomicU64,
    ended: AtomicBool,
    streams: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Starts a proxy for a port of this machine.
    pub(crate) fn to(target: u16) -> Self {
        Self::at("127.0.0.1", target)
    }

    /// Starts a proxy for a port of this machine that listens at this address of it.
    pub(crate) fn at(host: &str, target: u16) -> Self {
        let listener = TcpListener::bind((host, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(ProxyState {
            way: AtomicU8::new(Way::Open as u8),
            delay_ms: AtomicU64::new(0),
            damages: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            streams: Mutex::new(Vec::new()),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming() {
                if shared.ended.load(Ordering::Relaxed) {
                    return;
                }
                // A refused connection looks like one that is closed at once.
                let Ok(client) = client else { continue };
                if shared.is(Way::Cut) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                for (from, to, way) in
                    [(&client, &server, Towards::Server), (&server, &client, Towards::Client)]
                {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || pump(from, to, way, &shared));
                }
                shared.streams.lock().unwrap().extend([client, server]);
            }
        });
        Self { host: host.to_owned(), port, state }
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}:{}", self.host, self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Closes every connection and accepts none until [`open`](Self::open).
    pub(crate) fn cut(&self) {
        self.state.set(Way::Cut);
        self.state.close_all();
    }

    /// Keeps every connection, and lets nothing through until [`open`](Self::open).
    pub(crate) fn silence(&self) {
        self.state.set(Way::Silent);
    }

    /// Lets everything through. Connections that were silent are closed, for their bytes are lost.
    pub(crate) fn open(&self) {
        if self.state.is(Way::Silent) {
            self.state.close_all();
        }
        self.state.set(Way::Open);
    }

    /// Changes one byte in the middle of each of the next large pieces of data from the server.
    pub(crate) fn damage(&self, pieces: u64) {
        self.state.damages.store(pieces, Ordering::Relaxed);
    }

    /// Pieces of data that are still to be changed.
    pub(crate) fn damages_left(&self) -> u64 {
        self.state.damages.load(Ordering::Relaxed)
    }

    /// Delays every piece of data in both directions.
    pub(crate) fn delay(&self, time: Duration) {
        self.state.delay_ms.store(u64::try_from(time.as_millis()).unwrap(), Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::Relaxed);
        self.state.close_all();
        // The thread that accepts notices its end.
        let _ = TcpStream::connect((self.host.as_str(), self.port));
    }
}

impl ProxyState {
    fn is(&self, way: Way) -> bool {
        self.way.load(Ordering::Relaxed) == way as u8
    }

    fn set(&self, way: Way) {
        self.way.store(way as u8, Ordering::Relaxed);
    }

    fn close_all(&self) {
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Towards {
    Server,
    Client,
}

/// Size of a piece whose middle is surely the content of a message.
const LARGE: usize = 1 << 14;

fn pump(mut from: TcpStream, mut to: TcpStream, way: Towards, state: &ProxyState) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match from.read(&mut buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(count) => {
                thread::sleep(Duration::from_millis(state.delay_ms.load(Ordering::Relaxed)));
                if way == Towards::Client && count > LARGE && state.damages.load(Ordering::Relaxed) > 0 {
                    state.damages.fetch_sub(1, Ordering::Relaxed);
                    buffer[count / 2] ^= 0x40;
                }
                if !state.is(Way::Silent) && to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
