//! `serve`: runs in a browser.

use crate::cli::args::run::Serve;
use crate::cli::output::exit::{Exit, Failure};
use crate::cli::output::{Output, print_message};
use crate::cli::process::signals::Signals;
use gridhunt::hunt::FoundConfig;
use gridhunt::serve::{Control, ServeError, ServeOptions, Server};

pub fn run(args: &Serve) -> Result<Exit, Failure> {
    for config in &args.configs {
        FoundConfig::find(config)?;
    }
    let control = match args.allow_control {
        true => {
            let program = std::env::current_exe().map_err(Failure::internal)?;
            Some(Control { program, configs: args.configs.clone() })
        }
        false => None,
    };
    let (names, sources) = (args.names.clone(), args.runs.clone());
    let server = Server::bind(ServeOptions { listen: args.listen, names, sources, control })?;
    let signals = Signals::install_for_view().map_err(Failure::internal)?;
    if server.is_reachable_by_others() {
        print_message(
            "warning: other machines can reach the page, by this address or a --name, over an unencrypted \
             connection; only the token keeps them out",
        );
    }
    Output::stdout().write(&format!("{}\n", server.url()))?;
    print_message("open this address in a browser; Ctrl-C ends the server, but no hunt");
    run_until_signal(server, &signals)
}

/// Answers requests until a signal comes.
pub fn run_until_signal(server: Server, signals: &Signals) -> Result<Exit, Failure> {
    server.run(|| signals.has_arrived())?;
    // Ctrl-C is the normal end of a server.
    Ok(signals.exit().filter(|exit| *exit != Exit::Interrupted).unwrap_or(Exit::Done))
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Source(_) => Self::bad_input(error.to_string()),
            ServeError::Listen { .. } => Self::usage(error.to_string()),
            ServeError::Folder { folder, error } => {
                let mut failure = Self::output(error);
                failure.error = failure.error.context(folder);
                failure
            }
            ServeError::Threads(error) => Self::system(error),
            ServeError::Token(_) => Self::internal(error),
        }
    }
}
