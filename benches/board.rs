//! Reads a file of a thousand boards, and contracts boards to regions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gridhunt_benches::square;
use gridhunt_boards::{Board, BoardReader, Format, ReadOptions, write_board};
use gridhunt_floodit::Regions;
use std::hint::black_box;

const BOARDS: u64 = 1_000;

fn boards() -> Vec<Board> {
    (0..BOARDS).map(|index| square(19, 1, index)).collect()
}

/// Reads all boards of a file; returns the number of their cells.
fn count_cells(file: &[u8], options: &ReadOptions) -> usize {
    let reader = BoardReader::new("boards.txt", file, options.clone()).expect("a readable file");
    reader.map(|entry| entry.expect("a sound board").board.cells().len()).sum()
}

fn board(c: &mut Criterion) {
    let boards = boards();
    let mut file = Vec::new();
    for board in &boards {
        write_board(board, Format::Lines, &mut file).expect("writing into memory");
    }
    let mut group = c.benchmark_group("board");
    group.throughput(Throughput::Bytes(file.len() as u64));
    let with_format = ReadOptions { format: Some(Format::Lines), ..ReadOptions::default() };
    for (name, options) in [("read lines", with_format), ("recognise and read lines", ReadOptions::default())] {
        group.bench_function(name, |b| b.iter(|| count_cells(black_box(&file), &options)));
    }
    group.throughput(Throughput::Elements(BOARDS));
    group.bench_function("contract", |b| {
        b.iter(|| boards.iter().map(|board| Regions::of(black_box(board)).count()).sum::<usize>());
    });
    group.finish();
}

criterion_group!(benches, board);
criterion_main!(benches);
