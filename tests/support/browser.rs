//! A real browser, controlled over WebDriver with plain sockets, and a small HTTP client.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// An HTTP response.
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then_some(value.trim())
        })
    }
}

/// Sends a request on its own connection, and panics without a response. `headers` follow `Host`.
pub(crate) fn http(port: u16, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
    try_http(port, method, path, headers, body).unwrap()
}

/// Sends a request on its own connection, which may be refused or closed.
pub(crate) fn try_http(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> io::Result<Response> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
    if headers.iter().all(|(name, _)| *name != "Host") {
        request.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{request}\r\n{body}").as_bytes())?;
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while reader.read_line(&mut head)? > 2 {}
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the connection was closed"))?;
    let response = Response { status, head, body: String::new() };
    let mut bytes = Vec::new();
    // chromedriver keeps the connection open, so the body ends at its stated length.
    match response.header("content-length").and_then(|length| length.parse().ok()) {
        Some(length) => reader.take(length).read_to_end(&mut bytes)?,
        None => reader.read_to_end(&mut bytes)?,
    };
    Ok(Response { body: String::from_utf8_lossy(&bytes).into_owned(), ..response })
}

/// A command with a live page: its process, its port and its token.
pub(crate) struct Served {
    process: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
}

impl Served {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let line =
            lines.find_map(|line| line.unwrap().strip_prefix("Live page: ").map(str::to_owned)).unwrap();
        // A full pipe would block the run.
        std::thread::spawn(move || lines.for_each(drop));
        let (url, token) = line.split_once("#token=").unwrap();
        let port = url.trim_end_matches('/').rsplit_once(':').unwrap().1.parse().unwrap();
        Self { process, port, token: token.to_owned() }
    }

    /// Resident memory of the process in megabytes.
    pub(crate) fn resident_mb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A browser window, closed when this is dropped.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

fn program(name: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Starts chromedriver on a port of its own choice: one found here could be taken by the time it starts. The port that it chose
/// for one family of addresses may be taken in the other; it then ends without printing one.
fn start_driver(program: &Path) -> Option<(Child, u16)> {
    let mut driver = Command::new(program)
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines().map_while(Result::ok);
    let port =
        lines.find_map(|line| line.split_once("successfully on port ").map(|(_, port)| port.to_owned()));
    let Some(port) = port.and_then(|port| port.trim_end_matches('.').parse().ok()) else {
        let _ = driver.kill();
        driver.wait().unwrap();
        return None;
    };
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, port))
}

impl Browser {
    /// Starts a browser, or returns what is not installed.
    pub(crate) fn start() -> Result<Self, String> {
        let chromium = program("chromium").ok_or("chromium is not installed (apt-get install chromium)")?;
        let chromedriver = program("chromedriver")
            .ok_or("chromedriver is not installed (apt-get install chromium-driver)")?;
        let (driver, port) =
            (0..3).find_map(|_| start_driver(&chromedriver)).expect("chromedriver prints its port");
        let profile = tempfile::tempdir().unwrap();
        let mut browser = Self { driver, port, session: String::new(), _profile: profile };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", browser._profile.path().display()));
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let made = browser.call("POST", "/session", &wanted);
        browser.session =
            made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}")).to_owned();
        Ok(browser)
    }

    fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let response =
            http(self.port, method, path, &[("Content-Type", "application/json")], &body.to_string());
        let reply: Value = serde_json::from_str(&response.body).unwrap_or(Value::Null);
        assert!(response.status == 200, "{method} {path}: {}", response.body);
        reply["value"].clone()
    }

    fn order(&self, method: &str, path: &str, body: &Value) -> Value {
        self.call(method, &format!("/session/{}{path}", self.session), body)
    }

    pub(crate) fn open(&self, url: &str) {
        self.order("POST", "/url", &json!({ "url": url }));
    }

    pub(crate) fn open_file(&self, path: &Path) {
        self.open(&format!("file://{}", path.display()));
    }

    /// Runs `script` in the page and returns its value.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.order("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The text of an element.
    pub(crate) fn text(&self, selector: &str) -> String {
        let script =
            format!("const e = document.querySelector({selector:?}); return e ? e.textContent : null");
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until `script` returns true, and returns how long that took.
    pub(crate) fn wait(&self, what: &str, script: &str) -> Duration {
        let begun = Instant::now();
        while self.run(script) != true {
            assert!(
                begun.elapsed() < Duration::from_secs(10),
                "{what} did not happen; {}",
                self.text("main")
            );
            std::thread::sleep(Duration::from_millis(25));
        }
        begun.elapsed()
    }

    /// Messages of the console since the last call, without those of level INFO.
    pub(crate) fn console_errors(&self) -> Vec<String> {
        let log = self.order("POST", "/se/log", &json!({ "type": "browser" }));
        let lines = log.as_array().unwrap().iter();
        lines.filter(|line| line["level"] != "INFO").map(|line| line["message"].to_string()).collect()
    }

    /// Sends a command of the DevTools protocol.
    pub(crate) fn emulate(&self, command: &str, parameters: &Value) -> Value {
        self.order("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// Presses and releases a key, named as in WebDriver.
    pub(crate) fn press(&self, key: &str) {
        let strokes = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        self.order(
            "POST",
            "/actions",
            &json!({ "actions": [{ "type": "key", "id": "keys", "actions": strokes }] }),
        );
    }

    /// Performs actions of the mouse, as WebDriver describes them.
    pub(crate) fn mouse(&self, actions: &[Value]) {
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.order("POST", "/actions", &json!({ "actions": [mouse] }));
    }

    /// Emulates a preference for `light` or `dark`; an empty word ends the emulation.
    pub(crate) fn prefer(&self, scheme: &str) {
        let feature = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.emulate("Emulation.setEmulatedMedia", &json!({ "features": feature }));
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.emulate("Emulation.setDeviceMetricsOverride", &size);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser, which would survive the kill of the driver below.
        let _ = try_http(self.port, "DELETE", &format!("/session/{}", self.session), &[], "");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
