//! Networks in Stockfish's NNUE format: a table of 16-bit rows, whose sums are kept for each side and updated move by
//! move, and small stacks of eight-bit layers. The arithmetic is bit-identical to that of Stockfish 15.1 (`src/nnue`).
//!
//! Sums wrap around, unlike those of [`super::table`]: additions modulo 2^16 can be undone and exchanged, so an accumulator that
//! followed a line move by move equals one computed from all features, bit for bit. With saturation a sum that once touched the
//! limit would stay wrong for the rest of the line. The features of one side change completely when its king moves, because each
//! square of the king has rows of its own; then `refresh` is cheaper than an update, and after it the other side still updates.

use super::{integers::Integers, level::Level};
use crate::{Isa, KernelError, aligned::Aligned, simd::Kernel};

/// Number of sums per side.
const WIDTH: usize = 1024;
/// Number of hidden units per side: products of the first half of its sums with the second half.
const HALF: usize = WIDTH / 2;
/// Number of layer stacks, each for a range of piece counts; rows have a material value for each.
const STACKS: usize = 8;
/// Number of outputs of a stack's first layer that are fed to the second; one more output is added to the result
/// directly.
const FIRST: usize = 15;
/// Number of inputs, and of outputs, of a stack's second layer.
const SECOND: usize = 32;
/// The integer that represents 1 in sums and hidden units.
const ONE: i16 = 127;
/// Fractional bits of a layer's weights.
const WEIGHT_BITS: u32 = 6;
/// A direct output of `127 << 6` represents 1, which is 600 units of the result, in sixteenths (Stockfish 15.1,
/// `nnue_architecture.h`).
const DIRECT: (i64, i64) = (600 * 16, 127 << WEIGHT_BITS);
/// Number of vectors of sums that stay in registers while rows are added.
const BLOCK: usize = 8;

/// A network as stored in its file.
#[derive(Clone, Debug, Default)]
pub struct NnuePlan {
    /// `[1024]`.
    pub bias: Vec<i16>,
    /// `[features][1024]`.
    pub rows: Vec<i16>,
    /// `[features][8]`: the contribution of a feature to the material of each stack.
    pub material: Vec<i32>,
    /// Eight stacks, from few pieces to many.
    pub stacks: Vec<NnueStack>,
}

/// The layers after the sums: weights and biases. A row of weights belongs to one output.
#[derive(Clone, Debug)]
pub struct NnueStack {
    /// `[16][1024]`.
    pub first: (Vec<i8>, Vec<i32>),
    /// `[32][32]`, of which 30 inputs are in use.
    pub second: (Vec<i8>, Vec<i32>),
    /// `[1][32]`.
    pub third: (Vec<i8>, Vec<i32>),
}

impl NnuePlan {
    /// Number of sums per side.
    pub const WIDTH: usize = WIDTH;
    /// Number of layer stacks; the number of pieces selects one.
    pub const STACKS: usize = STACKS;
}

/// The sums of one side's view of a position.
#[derive(Clone)]
pub struct Accumulator {
    sums: Aligned<i16>,
    material: [i32; STACKS],
}

/// The features that a move removes from a position and adds to it.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are what their names say")]
pub struct Change<'a> {
    pub removed: &'a [u32],
    pub added: &'a [u32],
}

/// A network compiled for an instruction set. All instruction sets give bit-identical results. Overflow, which does not
/// occur in trained networks, wraps around.
pub struct NnueNetwork {
    level: Level,
    bias: Aligned<i16>,
    rows: Aligned<i16>,
    material: Vec<[i32; STACKS]>,
    stacks: Vec<Stack>,
}

struct Stack {
    first: Aligned<i8>,
    first_bias: Vec<i32>,
    second: Vec<i8>,
    second_bias: Vec<i32>,
    third: Vec<i8>,
    third_bias: i32,
}

impl NnueNetwork {
    /// Prepares a network for an instruction set.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`], or [`KernelError::Shape`] for parts of the wrong size.
    pub fn compile(plan: &NnuePlan, isa: Isa) -> Result<Self, KernelError> {
        isa.check()?;
        let features = plan.rows.len() / WIDTH;
        check("bias", plan.bias.len(), WIDTH)?;
        check("rows", plan.rows.len(), features * WIDTH)?;
        check("material", plan.material.len(), features * STACKS)?;
        check("stacks", plan.stacks.len(), STACKS)?;
        let stacks = plan.stacks.iter().map(Stack::new).collect::<Result<_, _>>()?;
        let material = plan.material.as_chunks().0.to_vec();
        let level = Level::of(isa);
        Ok(Self { level, bias: aligned(&plan.bias), rows: aligned(&plan.rows), material, stacks })
    }

    /// The kernels in use: `avx512 vnni`, `avx2` or `portable`.
    pub fn kernels(&self) -> &'static str {
        self.level.name()
    }

    /// The sums of no features.
    pub fn accumulator(&self) -> Accumulator {
        Accumulator { sums: self.bias.clone(), material: [0; STACKS] }
    }

    /// Recomputes the sums from `features`.
    ///
    /// # Panics
    /// If a feature is out of range.
    pub fn refresh(&self, to: &mut Accumulator, features: &[u32]) {
        let change = Change { removed: &[], added: features };
        let from = (&self.bias[..], [0; STACKS]);
        self.level.run(Update { network: self, from, to, change });
    }

    /// Sets the sums `to` to those of `from` after a change.
    ///
    /// # Panics
    /// If a feature is out of range.
    pub fn update(&self, from: &Accumulator, to: &mut Accumulator, change: Change<'_>) {
        let from = (&from.sums[..], from.material);
        self.level.run(Update { network: self, from, to, change });
    }

    /// The material and positional values from the point of view of the side whose sums are `own`, in sixteenths of
    /// Stockfish's internal unit.
    ///
    /// # Panics
    /// If the stack is out of range.
    pub fn evaluate(&self, [own, other]: [&Accumulator; 2], stack: usize) -> [i32; 2] {
        let material = own.material[stack].wrapping_sub(other.material[stack]) / 2;
        let mut units = [0; WIDTH];
        let stack = &self.stacks[stack];
        [material, self.level.run(Evaluate { stack, sides: [own, other], units: &mut units })]
    }
}

impl std::fmt::Debug for NnueNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "NnueNetwork({} features, {})", self.material.len(), self.kernels())
    }
}

fn check(part: &str, found: usize, expected: usize) -> Result<(), KernelError> {
    if found == expected { Ok(()) } else { Err(KernelError::Shape { part: part.into(), found, expected }) }
}

fn aligned<T: crate::aligned::Plain + Default>(numbers: &[T]) -> Aligned<T> {
    let mut copy = Aligned::filled(numbers.len(), T::default());
    copy.copy_from_slice(numbers);
    copy
}

impl Stack {
    fn new(plan: &NnueStack) -> Result<Self, KernelError> {
        check("first layer", plan.first.0.len(), (FIRST + 1) * WIDTH)?;
        check("bias of the first layer", plan.first.1.len(), FIRST + 1)?;
        check("second layer", plan.second.0.len(), SECOND * SECOND)?;
        check("bias of the second layer", plan.second.1.len(), SECOND)?;
        check("third layer", plan.third.0.len(), SECOND)?;
        check("bias of the third layer", plan.third.1.len(), 1)?;
        Ok(Self {
            first: aligned(&plan.first.0),
            first_bias: plan.first.1.clone(),
            second: plan.second.0.clone(),
            second_bias: plan.second.1.clone(),
            third: plan.third.0.clone(),
            third_bias: plan.third.1[0],
        })
    }
}

struct Update<'a> {
    network: &'a NnueNetwork,
    from: (&'a [i16], [i32; STACKS]),
    to: &'a mut Accumulator,
    change: Change<'a>,
}

impl<S: Integers> Kernel<S> for Update<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { network, from: (from, mut material), to, change } = self;
        for &feature in change.removed {
            for (sum, number) in material.iter_mut().zip(network.material[feature as usize]) {
                *sum = sum.wrapping_sub(number);
            }
        }
        for &feature in change.added {
            for (sum, number) in material.iter_mut().zip(network.material[feature as usize]) {
                *sum = sum.wrapping_add(number);
            }
        }
        to.material = material;
        assert!(from.len() == WIDTH && to.sums.len() == WIDTH, "sums of a side");
        for at in (0..WIDTH).step_by(BLOCK * S::SUMS) {
            // SAFETY: sums and rows have `WIDTH` elements from their start, a multiple of a block.
            unsafe {
                let mut sums = [simd.load_sums(from.as_ptr().add(at)); BLOCK];
                for vector in 1..BLOCK {
                    sums[vector] = simd.load_sums(from.as_ptr().add(at + vector * S::SUMS));
                }
                for &feature in change.removed {
                    let row = network.rows[feature as usize * WIDTH..][..WIDTH].as_ptr().add(at);
                    for vector in 0..BLOCK {
                        sums[vector] = simd.sub_sums(sums[vector], simd.load_sums(row.add(vector * S::SUMS)));
                    }
                }
                for &feature in change.added {
                    let row = network.rows[feature as usize * WIDTH..][..WIDTH].as_ptr().add(at);
                    for vector in 0..BLOCK {
                        sums[vector] = simd.add_sums(sums[vector], simd.load_sums(row.add(vector * S::SUMS)));
                    }
                }
                for vector in 0..BLOCK {
                    simd.write_sums(to.sums.as_mut_ptr().add(at + vector * S::SUMS), sums[vector]);
                }
            }
        }
    }
}

struct Evaluate<'a> {
    stack: &'a Stack,
    sides: [&'a Accumulator; 2],
    units: &'a mut [u8; WIDTH],
}

impl<S: Integers> Kernel<S, i32> for Evaluate<'_> {
    #[inline(always)]
    fn call(self, simd: S) -> i32 {
        // Clipped sums are at most 127, so a unit is at most 127 x 127 >> 7 = 126, and inputs of the later layers are at most
        // 127. A pair of products in `dot` is at most 2 x 127 x 128 = 32,512: `pmaddubsw` does not saturate, and all instruction
        // sets agree.
        let Self { stack, sides, units } = self;
        for (side, units) in sides.into_iter().zip(units.chunks_exact_mut(HALF)) {
            let (low, high) = side.sums.split_at(HALF);
            for ((unit, a), b) in units.iter_mut().zip(low).zip(high) {
                *unit = (((*a).clamp(0, ONE) * (*b).clamp(0, ONE)) >> 7) as u8;
            }
        }
        let mut first = [0; FIRST + 1];
        for (number, (output, bias)) in first.iter_mut().zip(&stack.first_bias).enumerate() {
            let row = &stack.first[number * WIDTH..][..WIDTH];
            // SAFETY: both have `WIDTH` bytes.
            *output = bias.wrapping_add(unsafe { simd.dot(units.as_ptr(), row.as_ptr(), WIDTH) });
        }
        let mut inputs = [0_u8; SECOND];
        for (number, &output) in first[..FIRST].iter().enumerate() {
            // An output may have 25 bits: its square needs 64.
            let square = (i64::from(output) * i64::from(output)) >> (2 * WEIGHT_BITS);
            inputs[number] = (square / 128).min(i64::from(ONE)) as u8;
            inputs[FIRST + number] = clipped(output);
        }
        let mut hidden = [0_u8; SECOND];
        for (number, (unit, bias)) in hidden.iter_mut().zip(&stack.second_bias).enumerate() {
            let row = &stack.second[number * SECOND..][..SECOND];
            // SAFETY: both have `SECOND` bytes.
            *unit = clipped(bias.wrapping_add(unsafe { simd.dot(inputs.as_ptr(), row.as_ptr(), SECOND) }));
        }
        // SAFETY: as above.
        let last = unsafe { simd.dot(hidden.as_ptr(), stack.third.as_ptr(), SECOND) };
        let direct = (i64::from(first[FIRST]) * DIRECT.0 / DIRECT.1) as i32;
        stack.third_bias.wrapping_add(last).wrapping_add(direct)
    }
}

/// Turns the output of a layer into an input of the next, with a clipped ReLU.
#[inline(always)]
fn clipped(output: i32) -> u8 {
    (output >> WEIGHT_BITS).clamp(0, i32::from(ONE)) as u8
}
