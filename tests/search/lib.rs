//! Searches and lower bounds, checked against exhaustive search.
#![cfg(test)]

mod all_solutions;
mod answers;
mod bent;
mod bounds;
mod certificates;
mod certified;
mod click_certificates;
mod clicks;
mod common;
mod crash;
mod datasets;
mod engines;
mod floods;
mod free_flood;
mod golden;
mod hunts;
mod kept;
mod learning;
mod own_bound;
mod own_puzzle;
mod own_sets;
mod plain_clicks;
mod programs;
mod ranks;
mod registry;
mod trial;
mod watched;
