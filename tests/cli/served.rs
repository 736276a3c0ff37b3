//! A server under test.
#![cfg(all(unix, feature = "serve"))]

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};

/// A server, ended with the test.
pub struct Served {
    process: Child,
    pub address: SocketAddr,
    pub token: String,
    /// The address that the program has printed.
    pub url: String,
}

impl Served {
    /// `gridhunt serve` with these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        Self::by("serve", arguments)
    }

    /// A command that serves a page.
    pub fn by(name: &str, arguments: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin("gridhunt"));
        command.arg(name).args(arguments).args(["--listen", "127.0.0.1:0"]).env("XDG_CONFIG_HOME", "/nowhere");
        let mut process = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        let (address, rest) = url.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        let (_, token) = rest.split('#').next().unwrap().split_once("?token=").unwrap();
        Self { process, address: address.parse().unwrap(), token: token.to_owned(), url: url.trim().to_owned() }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(super::PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads until the server closes the connection.
    pub fn raw(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may close the connection before it has read everything.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// A request with these headers beside the host's.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        if !body.is_empty() {
            request += &format!("Content-Length: {}\r\n", body.len());
        }
        let answer = Answer::of(&self.raw(format!("{request}\r\n{body}").as_bytes()));
        if let Some(kind) = answer.kind(path) {
            super::schema::check(kind, &answer.body);
        }
        answer
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// A request with the token.
    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[("Authorization", &self.bearer())], "")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        let headers = [("Authorization", &*self.bearer()), ("Content-Type", "application/json")];
        self.ask("POST", path, &headers, body)
    }

    /// The first event of a stream.
    pub fn event(&self, path: &str) -> (String, Value) {
        let mut stream = self.connect();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\n\r\n", self.address, self.bearer());
        stream.write_all(head.as_bytes()).unwrap();
        let (mut name, mut lines) = (String::new(), BufReader::new(stream).lines());
        loop {
            let line = lines.next().expect("an event").unwrap();
            if let Some(event) = line.strip_prefix("event: ") {
                event.clone_into(&mut name);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                super::schema::check(if name == "runs" { "RunList" } else { "RunView" }, data);
                return (name, serde_json::from_str(data).unwrap());
            }
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// An answer of the server.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn of(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Self { status, head: head.to_ascii_lowercase(), body: body.to_owned() }
    }

    /// The definition of the schema that an answer at this address must obey, if it is one in JSON.
    pub fn kind(&self, path: &str) -> Option<&'static str> {
        Some(match path.split(['/', '?']).collect::<Vec<_>>()[..] {
            // A request that is too large is refused before anything looks at it.
            _ if self.status >= 400 && !self.body.is_empty() => "Refusal",
            ["", "api", "runs"] => "RunList",
            ["", "api", "runs", _, "boards", _] => "BoardView",
            ["", "api", "runs", _, "boards", _, "film"] => "FilmView",
            ["", "api", ..] if self.status < 400 => "Done",
            _ => return None,
        })
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.head, self.body))
    }
}
