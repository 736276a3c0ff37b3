//! A lower bound from outside the crate, tried against the truth.

#[path = "../../examples/own_bound.rs"]
mod example;

#[test]
fn the_example_finds_every_bound_right() {
    example::main().expect("no bound of the example is above the truth");
}
