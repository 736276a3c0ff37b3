//! Which requests are answered.
//!
//! * The host must be one of the server's names, so that no other site reaches the server by its own host name (DNS
//!   rebinding).
//! * The client must have the token: in the address that the program has printed, then in a cookie that browsers send
//!   from this page alone, or in the header `Authorization: Bearer`.
//! * A request that changes something must come from the page itself, as JSON, within limits of size and time.

use super::answer::{Refusal, refusal};
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;

const MOST_BODY_BYTES: usize = 64 << 10;

/// The size limit for questions of players, which contain the knowledge of all positions of a game.
const MOST_QUESTION_BYTES: usize = 16 << 20;

const BODY_TIMEOUT: Duration = Duration::from_secs(10);

const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The name of a host without its port.
fn host_name(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|letter| letter.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The host names and the token of a server.
#[derive(Debug)]
pub(super) struct Guard {
    pub(super) token: String,
    cookie: String,
    hosts: Vec<String>,
}

impl Guard {
    /// Makes a guard with a new token. `names` are further names of the host.
    ///
    /// # Errors
    /// When the system has no random numbers.
    pub(super) fn new(address: SocketAddr, names: Vec<String>) -> io::Result<Self> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let ip = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        let local_names = ["localhost", "127.0.0.1", "[::1]"].map(str::to_owned);
        let names = names.into_iter().map(|name| host_name(&name).to_ascii_lowercase());
        let hosts = local_names.into_iter().chain([ip]).chain(names).collect();
        // Browsers keep cookies by host, not by port, so the name of the cookie contains the port.
        Ok(Self { token, cookie: format!("gridhunt-{}", address.port()), hosts })
    }

    /// Whether the text is the token. Takes the same time for every text of its length.
    fn is_token(&self, text: &str) -> bool {
        text.len() == self.token.len()
            && text.bytes().zip(self.token.bytes()).fold(0, |differences, (a, b)| differences | (a ^ b)) == 0
    }

    /// The host of a request, if it is one of the server's names.
    fn host<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next()?.to_str().ok().filter(|_| hosts.next().is_none())?;
        self.hosts.contains(&host_name(host).to_ascii_lowercase()).then_some(host)
    }

    /// Whether a request has the token, and whether the token is in the address.
    fn token_of(&self, request: &Request) -> (bool, bool) {
        let headers = request.headers();
        let texts = |name: &HeaderName| headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        let mut bearer = texts(&AUTHORIZATION).filter_map(|text| text.strip_prefix("Bearer "));
        let pairs = texts(&COOKIE).flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let mut cookies = pairs.filter(|(name, _)| *name == self.cookie).map(|(_, value)| value);
        let is_page = request.method() == Method::GET && ["/", "/play/"].contains(&request.uri().path());
        let query = request.uri().query().filter(|_| is_page).unwrap_or_default();
        let in_address =
            query.split('&').filter_map(|pair| pair.strip_prefix("token=")).any(|text| self.is_token(text));
        let has_token = in_address || bearer.any(|text| self.is_token(text)) || cookies.any(|text| self.is_token(text));
        (has_token, in_address)
    }

    /// Checks a request. Returns whether the token is in the address, or why the request is refused.
    fn check(&self, request: &Request) -> Result<bool, Refusal> {
        let headers = request.headers();
        let Some(host) = self.host(headers) else {
            return Err(refusal(
                StatusCode::MISDIRECTED_REQUEST,
                "the request names another host: --name of gridhunt serve adds a name",
            ));
        };
        let is_same_origin = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            origin.strip_prefix("http://").or(origin.strip_prefix("https://")) == Some(host)
        };
        if !headers.get_all(ORIGIN).iter().all(is_same_origin) {
            return Err(refusal(StatusCode::FORBIDDEN, "the request comes from another page"));
        }
        let (has_token, in_address) = self.token_of(request);
        if !has_token {
            return Err(refusal(
                StatusCode::UNAUTHORIZED,
                "the token is missing: open the address that the program has printed",
            ));
        }
        let media = headers.get(CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default();
        let is_json = media.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"));
        if request.method() == Method::POST && !is_json {
            return Err(refusal(StatusCode::UNSUPPORTED_MEDIA_TYPE, "expected content-type application/json"));
        }
        Ok(in_address)
    }
}

pub(super) async fn guard(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let mut response = match guard.check(&request) {
        Err(refused) => {
            // A refused client does not keep its connection.
            let mut response = refused.into_response();
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
        Ok(in_address) => {
            let mut response = match with_whole_body(request).await {
                Ok(request) => next.run(request).await,
                Err(refused) => refused.into_response(),
            };
            let Guard { cookie, token, .. } = &*guard;
            let cookie = format!("{cookie}={token}; Path=/; HttpOnly; SameSite=Strict");
            if let Ok(cookie) = HeaderValue::from_str(&cookie)
                && in_address
            {
                response.headers_mut().insert(SET_COOKIE, cookie);
            }
            response
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

async fn with_whole_body(request: Request) -> Result<Request, Refusal> {
    let (head, body) = request.into_parts();
    let limit = if head.uri.path() == "/play/api/ask" { MOST_QUESTION_BYTES } else { MOST_BODY_BYTES };
    match timeout(BODY_TIMEOUT, to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => {
            let expected = format!("expected a body of at most {} KiB", limit >> 10);
            Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, expected))
        }
        Err(_) => Err(refusal(StatusCode::REQUEST_TIMEOUT, "the body took more than 10 s")),
    }
}
