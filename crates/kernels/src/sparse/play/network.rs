//! A sparse network compiled for an instruction set.

use crate::{Isa, KernelError, simd::Kernel};

use super::{
    RowsPlan, TablePlan,
    integers::Integers,
    level::Level,
    rows::Rows,
    table::{HiddenUnits, Table},
};

/// A sparse network in floats, before quantisation.
#[derive(Clone, Debug)]
pub struct SparsePlan<'a> {
    /// The table of the value's features.
    pub table: TablePlan<'a>,
    /// The direct contribution of each feature, added to the logit of a win and subtracted from that of a loss,
    /// `[features]`.
    pub direct: &'a [f32],
    /// The layers after the hidden units; the last has three outputs: win, draw, loss.
    pub layers: Vec<LayerPlan<'a>>,
    /// Number of copies of the layers, one per bucket of positions.
    pub buckets: usize,
    /// The table of the policy's features, if the policy does not share the value's table.
    pub policy: Option<TablePlan<'a>>,
    /// One row for each move.
    pub moves: RowsPlan<'a>,
    /// One row for each kind of move.
    pub kinds: RowsPlan<'a>,
}

/// A fully connected layer in all its copies. The outputs of the layer before it are clipped to the range 0 to 1 and
/// squared.
#[derive(Clone, Copy, Debug)]
pub struct LayerPlan<'a> {
    /// `[buckets][outputs][inputs]`.
    pub weights: &'a [f32],
    /// `[buckets][outputs]`.
    pub bias: &'a [f32],
}

/// A sparse network compiled for an instruction set.
///
/// Sums are recomputed for every position. Updating them along the path of a search would not be faster: of 39 rows of
/// `threats`, the last two moves changed 32, which took 0.44 us compared with 0.48 us for all rows, without the time to
/// find the changed rows (2,000 positions of games, width 512, VNNI; `cargo bench -p kernels --bench sparse` measures
/// both).
pub struct SparseNetwork {
    level: Level,
    table: Table,
    direct: Vec<f32>,
    /// The first layer, in eight bits.
    first: Rows,
    others: Vec<Layer>,
    buckets: usize,
    policy: Option<Table>,
    moves: Rows,
    kinds: Rows,
}

/// Scratch memory for one thread.
#[derive(Clone, Debug)]
pub struct SparseArena {
    units: Vec<u8>,
    policy_units: Vec<u8>,
    sums: Vec<f32>,
    next: Vec<f32>,
}

/// A layer in 32-bit floats.
struct Layer {
    /// `[buckets][inputs][outputs]`: the weights of an input are contiguous, for vectors.
    weights: Vec<f32>,
    bias: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl SparseNetwork {
    /// Quantises a network for an instruction set.
    ///
    /// # Errors
    /// [`KernelError::MissingIsa`]; [`KernelError::Shape`] for sizes that do not match and widths that are not a
    /// multiple of 64; [`KernelError::Range`] for weights of a table that do not fit in eight bits.
    pub fn compile(plan: &SparsePlan<'_>, isa: Isa) -> Result<Self, KernelError> {
        isa.check()?;
        let shape = |part: &str, found, expected| KernelError::Shape { part: part.into(), found, expected };
        let table = Table::new(&plan.table, "value table")?;
        let policy = plan.policy.as_ref().map(|plan| Table::new(plan, "policy table")).transpose()?;
        if plan.direct.len() != table.features() {
            return Err(shape("direct numbers", plan.direct.len(), table.features()));
        }
        let [first, others @ ..] = &plan.layers[..] else { return Err(shape("layers", 0, 1)) };
        let rows = RowsPlan { weights: first.weights, bias: first.bias };
        let first = Rows::new(&rows, table.units(), "layer 0")?;
        let buckets = plan.buckets.max(1);
        if !first.len().is_multiple_of(buckets) {
            return Err(shape("layer 0", first.len(), first.len().next_multiple_of(buckets)));
        }
        let mut inputs = first.len() / buckets;
        let mut layers = Vec::new();
        for (number, plan) in others.iter().enumerate() {
            let layer = Layer::new(plan, inputs, buckets);
            let layer = layer.ok_or_else(|| {
                shape(&format!("layer {}", number + 1), plan.weights.len(), plan.bias.len() * inputs)
            })?;
            inputs = layer.outputs;
            layers.push(layer);
        }
        if inputs != 3 {
            return Err(shape("outputs", inputs, 3));
        }
        let units = policy.as_ref().unwrap_or(&table).units();
        let (moves, kinds) =
            (Rows::new(&plan.moves, units, "moves")?, Rows::new(&plan.kinds, units, "kinds")?);
        let direct = plan.direct.to_vec();
        Ok(Self {
            level: Level::of(isa),
            table,
            direct,
            first,
            others: layers,
            buckets,
            policy,
            moves,
            kinds,
        })
    }

    /// The kernels in use: `avx512 vnni`, `avx2` or `portable`.
    pub fn kernels(&self) -> &'static str {
        self.level.name()
    }

    /// Allocates the buffers that one thread needs to run this network.
    pub fn arena(&self) -> SparseArena {
        let policy_units = self.policy.as_ref().map_or(0, Table::units);
        let most =
            self.others.iter().map(|layer| layer.outputs).chain([self.first.len() / self.buckets]).max();
        SparseArena {
            units: vec![0; self.table.units()],
            policy_units: vec![0; policy_units],
            sums: Vec::with_capacity(most.unwrap_or(0)),
            next: Vec::with_capacity(most.unwrap_or(0)),
        }
    }

    /// The logits of win, draw and loss, before softmax.
    ///
    /// # Panics
    /// If a feature or the bucket is out of range, or the arena belongs to another network.
    pub fn value(&self, arena: &mut SparseArena, features: &[u32], bucket: usize) -> [f32; 3] {
        self.level.run(Value { network: self, arena, features, bucket })
    }

    /// The logits of moves, from their rows and those of their kinds.
    ///
    /// # Panics
    /// If a feature or a row is out of range, or `rows` and `logits` differ in length.
    pub fn logits(&self, arena: &mut SparseArena, features: &[u32], rows: &[(u16, u16)], logits: &mut [f32]) {
        assert!(rows.len() == logits.len(), "a logit for each move");
        self.level.run(ScoreMoves { network: self, arena, features, rows, logits });
    }
}

impl Layer {
    fn new(plan: &LayerPlan<'_>, inputs: usize, buckets: usize) -> Option<Self> {
        let outputs = plan.bias.len() / buckets;
        let fits = plan.bias.len() == outputs * buckets && plan.weights.len() == plan.bias.len() * inputs;
        let by_bucket = plan.weights.chunks_exact((outputs * inputs).max(1));
        let transposed = by_bucket
            .flat_map(|rows| (0..inputs).flat_map(move |input| rows.iter().skip(input).step_by(inputs)));
        fits.then(|| Self {
            weights: transposed.copied().collect(),
            bias: plan.bias.to_vec(),
            inputs,
            outputs,
        })
    }

    /// Adds input by input, so that every instruction set adds in the same order.
    #[inline(always)]
    fn run(&self, bucket: usize, inputs: &[f32], outputs: &mut Vec<f32>) {
        outputs.clear();
        outputs.extend_from_slice(&self.bias[bucket * self.outputs..][..self.outputs]);
        let size = self.inputs * self.outputs;
        let weights = &self.weights[bucket * size..][..size];
        // Zipped iterators and closures are not inlined here: each would be a call, compiled without the instruction set.
        let outputs = &mut outputs[..self.outputs];
        for (number, input) in inputs.iter().enumerate() {
            let cut = input.clamp(0.0, 1.0);
            let unit = cut * cut;
            let weights = &weights[number * self.outputs..][..self.outputs];
            for (place, output) in outputs.iter_mut().enumerate() {
                *output += unit * weights[place];
            }
        }
    }
}

struct Value<'a> {
    network: &'a SparseNetwork,
    arena: &'a mut SparseArena,
    features: &'a [u32],
    bucket: usize,
}

impl<S: Integers> Kernel<S, [f32; 3]> for Value<'_> {
    #[inline(always)]
    fn call(self, simd: S) -> [f32; 3] {
        let Self { network, arena, features, bucket } = self;
        let SparseArena { units, sums, next, .. } = arena;
        HiddenUnits { table: &network.table, features, units }.call(simd);
        let outputs = network.first.len() / network.buckets;
        sums.clear();
        for row in bucket * outputs..(bucket + 1) * outputs {
            sums.push(network.first.score(simd, row, units));
        }
        for layer in &network.others {
            layer.run(bucket, sums, next);
            std::mem::swap(sums, next);
        }
        let mut direct = 0.0;
        for &feature in features {
            direct += network.direct[feature as usize];
        }
        [sums[0] + direct, sums[1], sums[2] - direct]
    }
}

struct ScoreMoves<'a> {
    network: &'a SparseNetwork,
    arena: &'a mut SparseArena,
    features: &'a [u32],
    rows: &'a [(u16, u16)],
    logits: &'a mut [f32],
}

/// Prefetch distance, in moves: docs/experiments/prefetch-distance.md.
const AHEAD: usize = 6;

impl<S: Integers> Kernel<S> for ScoreMoves<'_> {
    #[inline(always)]
    fn call(self, simd: S) {
        let Self { network, arena, features, rows, logits } = self;
        let SparseArena { units, policy_units, .. } = arena;
        let (table, units) = match &network.policy {
            Some(table) => (table, policy_units),
            None => (&network.table, units),
        };
        HiddenUnits { table, features, units }.call(simd);
        for (number, (logit, &(row, kind))) in logits.iter_mut().zip(rows).enumerate() {
            if let Some(&(later, _)) = rows.get(number + AHEAD) {
                network.moves.prefetch(simd, usize::from(later));
            }
            *logit = network.moves.score(simd, usize::from(row), units)
                + network.kinds.score(simd, usize::from(kind), units);
        }
    }
}

impl std::fmt::Debug for SparseNetwork {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SparseNetwork({} features, {})", self.table.features(), self.kernels())
    }
}
