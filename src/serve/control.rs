//! Starts, stops and resumes hunts. Each hunt is a separate process, which continues when the server ends.

use crate::hunt::StopRequest;
use gridhunt_search::platform::with_own_process_group;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long a new process is watched. A process that refuses to search ends within this time.
const START_WATCH_TIME: Duration = Duration::from_millis(1_500);

const START_POLL_INTERVAL: Duration = Duration::from_millis(50);

const MOST_MESSAGE_BYTES: u64 = 4 << 10;

/// The highest number in the name of a run directory.
const MOST_RUNS: usize = 10_000;

/// How hunts are controlled.
#[derive(Debug)]
pub struct Control {
    /// This program.
    pub program: PathBuf,
    /// Configurations with which new hunts may begin.
    pub configs: Vec<String>,
}

impl Control {
    /// Asks the process that searches in a run directory to end.
    ///
    /// # Errors
    /// When the request cannot be written.
    pub(super) fn stop(run: &Path) -> Result<String, String> {
        let request = StopRequest::make(run).map_err(|error| error.to_string())?;
        Ok(match request.process {
            Some(process) => format!("process {process} was asked to end with a last checkpoint"),
            None if request.is_written => "a process on another host will find the request".to_owned(),
            None => "no process searches".to_owned(),
        })
    }

    /// Resumes a run.
    ///
    /// # Errors
    /// When the process cannot begin, or ends at once with an error.
    pub(super) fn resume(&self, run: &Path) -> Result<String, String> {
        self.start(Command::new(&self.program).arg("resume").arg(run))
    }

    /// Begins a hunt in a new run directory of `folder`. `config` must be one of the configurations.
    ///
    /// # Errors
    /// When the configuration is unknown, the process cannot begin, or it ends at once with an error.
    pub(super) fn hunt(&self, config: &str, folder: &Path) -> Result<String, String> {
        let config = self.configs.iter().find(|known| *known == config).ok_or("no such configuration")?;
        let stem = Path::new(config).file_stem().and_then(|stem| stem.to_str()).unwrap_or("hunt");
        let run = (1..=MOST_RUNS).map(|number| folder.join(format!("{stem}-{number}"))).find(|path| !path.exists());
        let run = run.ok_or_else(|| format!("{}: no name is free for {stem}", folder.display()))?;
        self.start(Command::new(&self.program).arg("hunt").arg(config).arg("--run").arg(run))
    }

    /// Starts a process, and watches whether it ends at once.
    fn start(&self, command: &mut Command) -> Result<String, String> {
        let error_text = |error: io::Error| format!("{}: {error}", self.program.display());
        let mut messages = tempfile::tempfile().map_err(error_text)?;
        let errors = messages.try_clone().map_err(error_text)?;
        command.arg("--quiet").stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors);
        // Ctrl-C ends the server, not its hunts.
        let mut child = with_own_process_group(command).spawn().map_err(error_text)?;
        let start = Instant::now();
        while start.elapsed() < START_WATCH_TIME {
            if let Some(status) = child.try_wait().map_err(error_text)? {
                let message = last_message(&mut messages).unwrap_or_default();
                return match (status.success(), message.is_empty()) {
                    (true, _) => Ok(format!("done at once: {status}")),
                    // A limit ends a search without a message.
                    (false, true) => Ok(format!("ended at once: {status}")),
                    (false, false) => Err(message),
                };
            }
            std::thread::sleep(START_POLL_INTERVAL);
        }
        let process = child.id();
        // Without a waiting parent, the ended process would stay as a zombie.
        let wait = std::thread::Builder::new().name("hunt".to_owned()).spawn(move || _ = child.wait());
        wait.map_err(error_text)?;
        Ok(format!("process {process} has begun"))
    }
}

fn last_message(messages: &mut File) -> io::Result<String> {
    let length = messages.metadata()?.len();
    messages.seek(SeekFrom::Start(length.saturating_sub(MOST_MESSAGE_BYTES)))?;
    let mut bytes = Vec::new();
    messages.take(MOST_MESSAGE_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
