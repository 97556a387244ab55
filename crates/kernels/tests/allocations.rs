//! Tests that running a compiled network allocates nothing, with an allocator that counts.

#![allow(unsafe_code, reason = "an allocator is unsafe to implement")]
#![allow(clippy::unwrap_used, reason = "a failed step fails the test")]

#[path = "support/random.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod random;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use kernels::{Calibration, Isa, Program};
use random::{MAIA, Random, Shape};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator; counting does not touch allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: by the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: by the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_run_allocates_nothing() {
    let mut random = Random(1);
    let dense = Shape { channels: 32, blocks: 1, dense_policy: true, moves_left: true, ..MAIA };
    for shape in [Shape { blocks: 1, ..MAIA }, dense] {
        let plan = random.plan(&shape);
        let planes = random.boards(19, shape.planes);
        let calibration = Calibration { ranges: vec![8.0; plan.tensors().len()] };
        for isa in Isa::available() {
            for precision in isa.precisions() {
                let program = Program::compile(&plan, isa, precision, Some(&calibration)).unwrap();
                let mut arena = program.arena();
                let before = ALLOCATIONS.with(Cell::get);
                assert!(before > 0, "the allocator counts");
                let mut sum = 0.0;
                program.run(&mut arena, &planes, &mut |_, answer| sum += answer.value[0]);
                let after = ALLOCATIONS.with(Cell::get);
                assert_eq!(after - before, 0, "{isa} {precision}");
                assert!(sum.is_finite());
            }
        }
    }
}
