//! The part of lc0's weights file format that convolutional networks use.
//!
//! Field numbers and enum values are those of `proto/net.proto` in LeelaChessZero/lczero-common. Fields this importer
//! has no use for are left out: the decoder skips them. Sub-messages are boxed so that a hostile file of many empty ones
//! takes little memory. Enums stay plain numbers, so that an unknown value can be named in an error.

/// `EngineVersion`: the oldest lc0 that reads the file.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct EngineVersion {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) major: Option<u32>,
    #[prost(uint32, optional, tag = "2")]
    pub(crate) minor: Option<u32>,
    #[prost(uint32, optional, tag = "3")]
    pub(crate) patch: Option<u32>,
}

/// `Weights.Layer`: one tensor, its numbers packed into bytes.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Layer {
    #[prost(float, optional, tag = "1")]
    pub(crate) min_val: Option<f32>,
    #[prost(float, optional, tag = "2")]
    pub(crate) max_val: Option<f32>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) params: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "4")]
    pub(crate) encoding: Option<i32>,
}

/// `Weights.ConvBlock`: a convolution with either biases or batch norm statistics.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct ConvBlock {
    #[prost(message, optional, boxed, tag = "1")]
    pub(crate) weights: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub(crate) biases: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "3")]
    pub(crate) bn_means: Option<Box<Layer>>,
    /// Variances in spite of the name: lc0 takes the square root itself.
    #[prost(message, optional, boxed, tag = "4")]
    pub(crate) bn_stddivs: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "5")]
    pub(crate) bn_gammas: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "6")]
    pub(crate) bn_betas: Option<Box<Layer>>,
}

/// `Weights.SEunit`: the two dense layers of squeeze-excite.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct SqueezeExciteUnit {
    #[prost(message, optional, boxed, tag = "1")]
    pub(crate) w1: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub(crate) b1: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "3")]
    pub(crate) w2: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "4")]
    pub(crate) b2: Option<Box<Layer>>,
}

/// `Weights.Residual`: one block of the tower.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Residual {
    #[prost(message, optional, boxed, tag = "1")]
    pub(crate) conv1: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "2")]
    pub(crate) conv2: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "3")]
    pub(crate) se: Option<Box<SqueezeExciteUnit>>,
}

/// A sub-message whose presence alone matters.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(crate) struct Presence {}

/// `Weights`: all layers.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Weights {
    #[prost(message, optional, boxed, tag = "1")]
    pub(crate) input: Option<Box<ConvBlock>>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) residual: Vec<Residual>,
    #[prost(message, optional, boxed, tag = "11")]
    pub(crate) policy1: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "3")]
    pub(crate) policy: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "4")]
    pub(crate) ip_pol_w: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "5")]
    pub(crate) ip_pol_b: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "6")]
    pub(crate) value: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "7")]
    pub(crate) ip1_val_w: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "8")]
    pub(crate) ip1_val_b: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "9")]
    pub(crate) ip2_val_w: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "10")]
    pub(crate) ip2_val_b: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "12")]
    pub(crate) moves_left: Option<Box<ConvBlock>>,
    #[prost(message, optional, boxed, tag = "13")]
    pub(crate) ip1_mov_w: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "14")]
    pub(crate) ip1_mov_b: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "15")]
    pub(crate) ip2_mov_w: Option<Box<Layer>>,
    #[prost(message, optional, boxed, tag = "16")]
    pub(crate) ip2_mov_b: Option<Box<Layer>>,
    /// Encoder layers of an attention body; older files have them under a convolutional network's format.
    #[prost(message, repeated, tag = "27")]
    pub(crate) encoder: Vec<Presence>,
}

/// `TrainingParams`: the trainer's metadata.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct TrainingParams {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) training_steps: Option<u32>,
    #[prost(float, optional, tag = "2")]
    pub(crate) learning_rate: Option<f32>,
    #[prost(float, optional, tag = "3")]
    pub(crate) mse_loss: Option<f32>,
    #[prost(float, optional, tag = "4")]
    pub(crate) policy_loss: Option<f32>,
    #[prost(float, optional, tag = "5")]
    pub(crate) accuracy: Option<f32>,
    #[prost(string, optional, tag = "6")]
    pub(crate) lc0_params: Option<String>,
}

/// `NetworkFormat`: the architecture.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct NetworkFormat {
    #[prost(int32, optional, tag = "1")]
    pub(crate) input: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(crate) network: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(crate) policy: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(crate) value: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub(crate) moves_left: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(crate) default_activation: Option<i32>,
}

/// `Format`: how weights are packed, and the architecture.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Format {
    #[prost(int32, optional, tag = "1")]
    pub(crate) weights_encoding: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(crate) network_format: Option<NetworkFormat>,
}

/// `Net`: the whole file.
#[derive(Clone, PartialEq, prost::Message)]
pub(crate) struct Net {
    #[prost(fixed32, optional, tag = "1")]
    pub(crate) magic: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub(crate) license: Option<String>,
    #[prost(message, optional, tag = "3")]
    pub(crate) min_version: Option<EngineVersion>,
    #[prost(message, optional, tag = "4")]
    pub(crate) format: Option<Format>,
    #[prost(message, optional, tag = "5")]
    pub(crate) training_params: Option<TrainingParams>,
    #[prost(message, optional, boxed, tag = "10")]
    pub(crate) weights: Option<Box<Weights>>,
    #[prost(message, optional, tag = "11")]
    pub(crate) onnx_model: Option<Presence>,
}
