//! A small network with an attention body.

use chess::encoding::SQUARES;

use super::{Numbers, SyntheticNetwork};
use crate::planes::lc0::message::{
    Attention, EncoderLayer, FeedForward, Layer, NetworkFormat, PolicyHead, PolicyHeads, Smolgen, ValueHead,
    ValueHeads, Weights,
};

/// Weights or gammas, and biases or betas.
type LayerPair = (Option<Box<Layer>>, Option<Box<Layer>>);

/// Channels of the body.
const CHANNELS: usize = 4;
/// Heads of the attention, and the length of each one's vector in smolgen.
const HEADS: usize = 2;
const SIZE: usize = 2;

/// A position map, gating, an encoder layer with smolgen, the policies `vanilla` and `optimistic`, and the values `winner` and `q`.
pub fn attention() -> SyntheticNetwork {
    let format = NetworkFormat {
        input: Some(1),
        network: Some(7),
        policy: Some(3),
        value: Some(2),
        default_activation: Some(1),
        smolgen_activation: Some(7),
        ffn_activation: Some(8),
        input_embedding: Some(1),
        ..NetworkFormat::default()
    };
    SyntheticNetwork::new(format, weights(&mut Numbers(3)))
}

fn weights(numbers: &mut Numbers) -> Weights {
    // The rows of the position map follow the planes.
    let (ip_emb_w, ip_emb_b) = dense(numbers, 112 + SQUARES, CHANNELS);
    let (ip_pol_w, ip_pol_b) = dense(numbers, CHANNELS, 3);
    Weights {
        ip_emb_w,
        ip_emb_b,
        ip_mult_gate: numbers.layer(CHANNELS * SQUARES),
        ip_add_gate: numbers.layer(CHANNELS * SQUARES),
        encoder: vec![encoder(numbers)],
        headcount: Some(HEADS as u32),
        smolgen_w: numbers.layer(SIZE * SQUARES * SQUARES),
        policy_heads: Some(Box::new(PolicyHeads {
            ip_pol_w,
            ip_pol_b,
            vanilla: Some(Box::new(policy(numbers))),
            optimistic_st: Some(Box::new(policy(numbers))),
            ..PolicyHeads::default()
        })),
        value_heads: Some(Box::new(ValueHeads {
            winner: Some(Box::new(value(numbers))),
            q: Some(Box::new(value(numbers))),
            ..ValueHeads::default()
        })),
        ..Weights::default()
    }
}

fn encoder(numbers: &mut Numbers) -> EncoderLayer {
    let [(q_w, q_b), (k_w, k_b), (v_w, v_b), (dense_w, dense_b)] =
        [(); 4].map(|()| dense(numbers, CHANNELS, CHANNELS));
    let mha = Attention {
        q_w,
        q_b,
        k_w,
        k_b,
        v_w,
        v_b,
        dense_w,
        dense_b,
        smolgen: Some(Box::new(smolgen(numbers))),
        ..Attention::default()
    };
    let (dense1_w, dense1_b) = dense(numbers, CHANNELS, 5);
    let (dense2_w, dense2_b) = dense(numbers, 5, CHANNELS);
    let [(ln1_gammas, ln1_betas), (ln2_gammas, ln2_betas)] = [(); 2].map(|()| norm(numbers, CHANNELS));
    EncoderLayer {
        mha: Some(Box::new(mha)),
        ln1_gammas,
        ln1_betas,
        ffn: Some(Box::new(FeedForward { dense1_w, dense1_b, dense2_w, dense2_b })),
        ln2_gammas,
        ln2_betas,
    }
}

fn smolgen(numbers: &mut Numbers) -> Smolgen {
    let compress = numbers.layer(CHANNELS);
    let (dense1_w, dense1_b) = dense(numbers, SQUARES, 3);
    let (ln1_gammas, ln1_betas) = norm(numbers, 3);
    let (dense2_w, dense2_b) = dense(numbers, 3, HEADS * SIZE);
    let (ln2_gammas, ln2_betas) = norm(numbers, HEADS * SIZE);
    Smolgen { compress, dense1_w, dense1_b, ln1_gammas, ln1_betas, dense2_w, dense2_b, ln2_gammas, ln2_betas }
}

/// A policy without an embedding of its own.
fn policy(numbers: &mut Numbers) -> PolicyHead {
    let (ip2_pol_w, ip2_pol_b) = dense(numbers, 3, 4);
    let (ip3_pol_w, ip3_pol_b) = dense(numbers, 3, 4);
    let ip4_pol_w = numbers.layer(4 * 4);
    PolicyHead { ip2_pol_w, ip2_pol_b, ip3_pol_w, ip3_pol_b, ip4_pol_w, ..PolicyHead::default() }
}

fn value(numbers: &mut Numbers) -> ValueHead {
    let (ip_val_w, ip_val_b) = dense(numbers, CHANNELS, 2);
    let (ip1_val_w, ip1_val_b) = dense(numbers, 2 * SQUARES, 3);
    let (ip2_val_w, ip2_val_b) = dense(numbers, 3, 3);
    ValueHead { ip_val_w, ip_val_b, ip1_val_w, ip1_val_b, ip2_val_w, ip2_val_b }
}

fn dense(numbers: &mut Numbers, inputs: usize, outputs: usize) -> LayerPair {
    (numbers.layer(outputs * inputs), numbers.layer(outputs))
}

fn norm(numbers: &mut Numbers, channels: usize) -> LayerPair {
    (numbers.layer(channels), numbers.layer(channels))
}
