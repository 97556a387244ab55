//! The part of lc0's weights file format that this importer uses.
//!
//! Field numbers and enum values are those of `proto/net.proto` in LeelaChessZero/lczero-common. Fields that this
//! importer does not use are omitted: the decoder skips them. Sub-messages are boxed so that a hostile file with many
//! empty ones takes little memory. Enums stay plain numbers so that an unknown value can be named in an error.

use crate::planes::wire::Message;

/// Declares protobuf messages as in `.proto` files, also those of ONNX, with one field per line and its number; in brackets are
/// `prost`'s names for the encoding.
macro_rules! protobuf_messages {
    ($($(#[$about:meta])* $message:ident { $($(#[$note:meta])* $name:ident: $type:ty = $tag:tt [$($kind:tt)+],)* })+) => { $(
        $(#[$about])*
        #[derive(Clone, PartialEq, prost::Message)]
        pub(crate) struct $message {
            $($(#[$note])* #[prost($($kind)+, tag = $tag)] pub(crate) $name: $type,)*
        }
    )+ };
}

pub(crate) use protobuf_messages;

protobuf_messages! {
    /// `EngineVersion`: the oldest lc0 version that reads the file.
    EngineVersion {
        major: Option<u32> = 1 [uint32, optional],
        minor: Option<u32> = 2 [uint32, optional],
        patch: Option<u32> = 3 [uint32, optional],
    }

    /// `Weights.Layer`: one tensor, with its values packed into bytes.
    Layer {
        min_val: Option<f32> = 1 [float, optional],
        max_val: Option<f32> = 2 [float, optional],
        params: Option<Vec<u8>> = 3 [bytes = "vec", optional],
        encoding: Option<i32> = 4 [int32, optional],
    }

    /// `Weights.ConvBlock`: a convolution with either biases or batch norm statistics.
    ConvBlock {
        weights: Option<Box<Layer>> = 1 [message, optional, boxed],
        biases: Option<Box<Layer>> = 2 [message, optional, boxed],
        bn_means: Option<Box<Layer>> = 3 [message, optional, boxed],
        /// Variances, in spite of the name: lc0 takes the square root itself.
        bn_stddivs: Option<Box<Layer>> = 4 [message, optional, boxed],
        bn_gammas: Option<Box<Layer>> = 5 [message, optional, boxed],
        bn_betas: Option<Box<Layer>> = 6 [message, optional, boxed],
    }

    /// `Weights.SEunit`: the two dense layers of squeeze-excite.
    SqueezeExciteUnit {
        w1: Option<Box<Layer>> = 1 [message, optional, boxed],
        b1: Option<Box<Layer>> = 2 [message, optional, boxed],
        w2: Option<Box<Layer>> = 3 [message, optional, boxed],
        b2: Option<Box<Layer>> = 4 [message, optional, boxed],
    }

    /// `Weights.Residual`: one block of the tower.
    Residual {
        conv1: Option<Box<ConvBlock>> = 1 [message, optional, boxed],
        conv2: Option<Box<ConvBlock>> = 2 [message, optional, boxed],
        se: Option<Box<SqueezeExciteUnit>> = 3 [message, optional, boxed],
    }

    /// `Weights.Smolgen`: scores of pairs of squares from the whole board.
    Smolgen {
        compress: Option<Box<Layer>> = 1 [message, optional, boxed],
        dense1_w: Option<Box<Layer>> = 2 [message, optional, boxed],
        dense1_b: Option<Box<Layer>> = 3 [message, optional, boxed],
        ln1_gammas: Option<Box<Layer>> = 4 [message, optional, boxed],
        ln1_betas: Option<Box<Layer>> = 5 [message, optional, boxed],
        dense2_w: Option<Box<Layer>> = 6 [message, optional, boxed],
        dense2_b: Option<Box<Layer>> = 7 [message, optional, boxed],
        ln2_gammas: Option<Box<Layer>> = 8 [message, optional, boxed],
        ln2_betas: Option<Box<Layer>> = 9 [message, optional, boxed],
    }

    /// `Weights.MHA`: the projections of an attention.
    Attention {
        q_w: Option<Box<Layer>> = 1 [message, optional, boxed],
        q_b: Option<Box<Layer>> = 2 [message, optional, boxed],
        k_w: Option<Box<Layer>> = 3 [message, optional, boxed],
        k_b: Option<Box<Layer>> = 4 [message, optional, boxed],
        v_w: Option<Box<Layer>> = 5 [message, optional, boxed],
        v_b: Option<Box<Layer>> = 6 [message, optional, boxed],
        dense_w: Option<Box<Layer>> = 7 [message, optional, boxed],
        dense_b: Option<Box<Layer>> = 8 [message, optional, boxed],
        smolgen: Option<Box<Smolgen>> = 9 [message, optional, boxed],
        /// Relative position encodings, which this importer refuses.
        rpe_q: Option<Box<Layer>> = 10 [message, optional, boxed],
        rpe_k: Option<Box<Layer>> = 11 [message, optional, boxed],
        rpe_v: Option<Box<Layer>> = 12 [message, optional, boxed],
    }

    /// `Weights.FFN`: two dense layers for each square.
    FeedForward {
        dense1_w: Option<Box<Layer>> = 1 [message, optional, boxed],
        dense1_b: Option<Box<Layer>> = 2 [message, optional, boxed],
        dense2_w: Option<Box<Layer>> = 3 [message, optional, boxed],
        dense2_b: Option<Box<Layer>> = 4 [message, optional, boxed],
    }

    /// `Weights.EncoderLayer`: a layer of an attention body or policy.
    EncoderLayer {
        mha: Option<Box<Attention>> = 1 [message, optional, boxed],
        ln1_gammas: Option<Box<Layer>> = 2 [message, optional, boxed],
        ln1_betas: Option<Box<Layer>> = 3 [message, optional, boxed],
        ffn: Option<Box<FeedForward>> = 4 [message, optional, boxed],
        ln2_gammas: Option<Box<Layer>> = 5 [message, optional, boxed],
        ln2_betas: Option<Box<Layer>> = 6 [message, optional, boxed],
    }

    /// `Weights.PolicyHead`: one of several heads.
    PolicyHead {
        ip_pol_w: Option<Box<Layer>> = 1 [message, optional, boxed],
        ip_pol_b: Option<Box<Layer>> = 2 [message, optional, boxed],
        ip2_pol_w: Option<Box<Layer>> = 3 [message, optional, boxed],
        ip2_pol_b: Option<Box<Layer>> = 4 [message, optional, boxed],
        ip3_pol_w: Option<Box<Layer>> = 5 [message, optional, boxed],
        ip3_pol_b: Option<Box<Layer>> = 6 [message, optional, boxed],
        ip4_pol_w: Option<Box<Layer>> = 7 [message, optional, boxed],
        pol_encoder: Vec<EncoderLayer> = 8 [message, repeated],
        pol_headcount: Option<u32> = 9 [uint32, optional],
    }

    /// `Weights.PolicyHeads`: the heads by name, and the embedding of those that have none.
    PolicyHeads {
        ip_pol_w: Option<Box<Layer>> = 1 [message, optional, boxed],
        ip_pol_b: Option<Box<Layer>> = 2 [message, optional, boxed],
        vanilla: Option<Box<PolicyHead>> = 3 [message, optional, boxed],
        optimistic_st: Option<Box<PolicyHead>> = 4 [message, optional, boxed],
        soft: Option<Box<PolicyHead>> = 5 [message, optional, boxed],
        opponent: Option<Box<PolicyHead>> = 6 [message, optional, boxed],
    }

    /// `Weights.ValueHead`: one of several heads.
    ValueHead {
        ip_val_w: Option<Box<Layer>> = 1 [message, optional, boxed],
        ip_val_b: Option<Box<Layer>> = 2 [message, optional, boxed],
        ip1_val_w: Option<Box<Layer>> = 3 [message, optional, boxed],
        ip1_val_b: Option<Box<Layer>> = 4 [message, optional, boxed],
        ip2_val_w: Option<Box<Layer>> = 5 [message, optional, boxed],
        ip2_val_b: Option<Box<Layer>> = 6 [message, optional, boxed],
    }

    /// `Weights.ValueHeads`: the heads by name.
    ValueHeads {
        winner: Option<Box<ValueHead>> = 1 [message, optional, boxed],
        q: Option<Box<ValueHead>> = 2 [message, optional, boxed],
        st: Option<Box<ValueHead>> = 3 [message, optional, boxed],
    }

    /// `Weights`: all layers.
    Weights {
        input: Option<Box<ConvBlock>> = 1 [message, optional, boxed],
        residual: Vec<Residual> = 2 [message, repeated],
        policy1: Option<Box<ConvBlock>> = 11 [message, optional, boxed],
        policy: Option<Box<ConvBlock>> = 3 [message, optional, boxed],
        ip_pol_w: Option<Box<Layer>> = 4 [message, optional, boxed],
        ip_pol_b: Option<Box<Layer>> = 5 [message, optional, boxed],
        value: Option<Box<ConvBlock>> = 6 [message, optional, boxed],
        ip1_val_w: Option<Box<Layer>> = 7 [message, optional, boxed],
        ip1_val_b: Option<Box<Layer>> = 8 [message, optional, boxed],
        ip2_val_w: Option<Box<Layer>> = 9 [message, optional, boxed],
        ip2_val_b: Option<Box<Layer>> = 10 [message, optional, boxed],
        moves_left: Option<Box<ConvBlock>> = 12 [message, optional, boxed],
        ip1_mov_w: Option<Box<Layer>> = 13 [message, optional, boxed],
        ip1_mov_b: Option<Box<Layer>> = 14 [message, optional, boxed],
        ip2_mov_w: Option<Box<Layer>> = 15 [message, optional, boxed],
        ip2_mov_b: Option<Box<Layer>> = 16 [message, optional, boxed],
        ip2_pol_w: Option<Box<Layer>> = 17 [message, optional, boxed],
        ip2_pol_b: Option<Box<Layer>> = 18 [message, optional, boxed],
        ip3_pol_w: Option<Box<Layer>> = 19 [message, optional, boxed],
        ip3_pol_b: Option<Box<Layer>> = 20 [message, optional, boxed],
        ip4_pol_w: Option<Box<Layer>> = 22 [message, optional, boxed],
        pol_encoder: Vec<EncoderLayer> = 21 [message, repeated],
        pol_headcount: Option<u32> = 24 [uint32, optional],
        ip_emb_w: Option<Box<Layer>> = 25 [message, optional, boxed],
        ip_emb_b: Option<Box<Layer>> = 26 [message, optional, boxed],
        /// Encoder layers of an attention body; older files have them under a convolutional network's format.
        encoder: Vec<EncoderLayer> = 27 [message, repeated],
        headcount: Option<u32> = 28 [uint32, optional],
        ip_val_w: Option<Box<Layer>> = 29 [message, optional, boxed],
        ip_val_b: Option<Box<Layer>> = 30 [message, optional, boxed],
        ip_mov_w: Option<Box<Layer>> = 31 [message, optional, boxed],
        ip_mov_b: Option<Box<Layer>> = 32 [message, optional, boxed],
        ip_mult_gate: Option<Box<Layer>> = 33 [message, optional, boxed],
        ip_add_gate: Option<Box<Layer>> = 34 [message, optional, boxed],
        smolgen_w: Option<Box<Layer>> = 35 [message, optional, boxed],
        ip_emb_preproc_w: Option<Box<Layer>> = 37 [message, optional, boxed],
        ip_emb_preproc_b: Option<Box<Layer>> = 38 [message, optional, boxed],
        ip_emb_ln_gammas: Option<Box<Layer>> = 39 [message, optional, boxed],
        ip_emb_ln_betas: Option<Box<Layer>> = 40 [message, optional, boxed],
        ip_emb_ffn: Option<Box<FeedForward>> = 41 [message, optional, boxed],
        ip_emb_ffn_ln_gammas: Option<Box<Layer>> = 42 [message, optional, boxed],
        ip_emb_ffn_ln_betas: Option<Box<Layer>> = 43 [message, optional, boxed],
        value_heads: Option<Box<ValueHeads>> = 44 [message, optional, boxed],
        policy_heads: Option<Box<PolicyHeads>> = 45 [message, optional, boxed],
    }

    /// `TrainingParams`: the trainer's metadata.
    TrainingParams {
        training_steps: Option<u32> = 1 [uint32, optional],
        learning_rate: Option<f32> = 2 [float, optional],
        mse_loss: Option<f32> = 3 [float, optional],
        policy_loss: Option<f32> = 4 [float, optional],
        accuracy: Option<f32> = 5 [float, optional],
        lc0_params: Option<String> = 6 [string, optional],
    }

    /// `NetworkFormat`: the architecture.
    NetworkFormat {
        input: Option<i32> = 1 [int32, optional],
        network: Option<i32> = 3 [int32, optional],
        policy: Option<i32> = 4 [int32, optional],
        value: Option<i32> = 5 [int32, optional],
        moves_left: Option<i32> = 6 [int32, optional],
        default_activation: Option<i32> = 7 [int32, optional],
        smolgen_activation: Option<i32> = 8 [int32, optional],
        ffn_activation: Option<i32> = 9 [int32, optional],
        input_embedding: Option<i32> = 10 [int32, optional],
    }

    /// `Format`: the encoding of the weights, and the architecture.
    Format {
        weights_encoding: Option<i32> = 1 [int32, optional],
        network_format: Option<NetworkFormat> = 2 [message, optional],
    }

    /// `Net`: the whole file.
    Net {
        magic: Option<u32> = 1 [fixed32, optional],
        license: Option<String> = 2 [string, optional],
        min_version: Option<EngineVersion> = 3 [message, optional],
        format: Option<Format> = 4 [message, optional],
        training_params: Option<TrainingParams> = 5 [message, optional],
        weights: Option<Box<Weights>> = 10 [message, optional, boxed],
        onnx_model: Option<Box<OnnxModel>> = 11 [message, optional, boxed],
    }

    /// `OnnxModel`: a graph instead of layers, with the names of its input and outputs.
    OnnxModel {
        model: Option<Vec<u8>> = 1 [bytes = "vec", optional],
        data_type: Option<i32> = 2 [int32, optional],
        input_planes: Option<String> = 3 [string, optional],
        output_value: Option<String> = 4 [string, optional],
        output_wdl: Option<String> = 5 [string, optional],
        output_policy: Option<String> = 6 [string, optional],
        output_mlh: Option<String> = 7 [string, optional],
    }
}

/// A file, for counting its parts.
pub(super) static NET: Message = Message(&[(10, &WEIGHTS)]);
static WEIGHTS: Message = Message(&[
    (1, &Message::PLAIN),
    (2, &RESIDUAL),
    (3, &Message::PLAIN),
    (6, &Message::PLAIN),
    (11, &Message::PLAIN),
    (12, &Message::PLAIN),
    (21, &ENCODER_LAYER),
    (27, &ENCODER_LAYER),
    (41, &Message::PLAIN),
    (44, &VALUE_HEADS),
    (45, &POLICY_HEADS),
]);
static RESIDUAL: Message = Message(&[(1, &Message::PLAIN), (2, &Message::PLAIN), (3, &Message::PLAIN)]);
static ENCODER_LAYER: Message = Message(&[(1, &ATTENTION), (4, &Message::PLAIN)]);
/// With smolgen.
static ATTENTION: Message = Message(&[(9, &Message::PLAIN)]);
static POLICY_HEADS: Message =
    Message(&[(3, &POLICY_HEAD), (4, &POLICY_HEAD), (5, &POLICY_HEAD), (6, &POLICY_HEAD)]);
static POLICY_HEAD: Message = Message(&[(8, &ENCODER_LAYER)]);
static VALUE_HEADS: Message = Message(&[(1, &Message::PLAIN), (2, &Message::PLAIN), (3, &Message::PLAIN)]);
