//! The solver as a WebAssembly module, without generated glue: three exports and three imports.
//!
//! | export | what it does |
//! | --- | --- |
//! | `reserve(len) -> address` | makes room for a question of `len` bytes |
//! | `ask(len) -> address` | answers the question in the reserved room: one JSON object, see `gridhunt::play` |
//! | `answer_len() -> len` | the length of the last answer in bytes |
//!
//! | import from `page` | what it does |
//! | --- | --- |
//! | `now() -> f64` | milliseconds since 1970-01-01 UTC |
//! | `tell(address, len)` | receives an event of a search: one JSON object |
//! | `panicked(address, len)` | receives the message of a panic, before the module traps |
//!
//! All texts are UTF-8. The module has one thread and keeps nothing between two questions. A search is ended by
//! ending the worker that runs the module.
#![cfg(target_family = "wasm")]

use gridhunt::play::{SearchResources, answer};
use gridhunt_search::runtime::StopToken;
use std::cell::RefCell;
use std::sync::Once;

#[link(wasm_import_module = "page")]
unsafe extern "C" {
    fn tell(address: *const u8, len: usize);
    fn panicked(address: *const u8, len: usize);
}

unsafe extern "C" {
    /// Runs the static constructors, which enter the puzzles into the registry. The linker makes this function.
    fn __wasm_call_ctors();
}

/// Runs the static constructors once: a module without `main` does not run them itself.
fn run_constructors() {
    static ONCE: Once = Once::new();
    // SAFETY: the linker gives every module this function, and it is called once, before anything else of the module.
    ONCE.call_once(|| unsafe { __wasm_call_ctors() });
}

thread_local! {
    static QUESTION: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a question of `len` bytes. The room holds until the next call of an export.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(len: usize) -> *mut u8 {
    run_constructors();
    QUESTION.with_borrow_mut(|question| {
        question.clear();
        question.resize(len, 0);
        question.as_mut_ptr()
    })
}

/// Answers the question in the first `len` bytes of the reserved room. The answer holds until the next call of an
/// export.
#[unsafe(no_mangle)]
pub extern "C" fn ask(len: usize) -> *const u8 {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        // SAFETY: the page reads `len` bytes of the message, which lives until the call returns.
        unsafe { panicked(message.as_ptr(), message.len()) };
    }));
    let mut question = QUESTION.take();
    question.truncate(len);
    let question = String::from_utf8_lossy(&question);
    let text = answer(&question, &SearchResources { threads: 1, stop: &StopToken::new() }, &mut |event| {
        // SAFETY: the page reads `len` bytes of the event, which lives until the call returns.
        unsafe { tell(event.as_ptr(), event.len()) };
    });
    ANSWER.set(text);
    ANSWER.with_borrow(|answer| answer.as_ptr())
}

/// The length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn answer_len() -> usize {
    ANSWER.with_borrow(String::len)
}
