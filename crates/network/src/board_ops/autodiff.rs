//! The gradients of the board operations: which kernel runs in the backward pass of which.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;

use super::{BoardKernels, BoardOps, Finish, Normalisation};

#[derive(Debug)]
struct ConvolutionBackward;

impl<B: BoardKernels> Backward<B, 2> for ConvolutionBackward {
    type State = (NodeId, NodeId);

    fn backward(self, ops: Ops<Self::State, 2>, gradients: &mut Gradients, checkpointer: &mut Checkpointer) {
        let [input_node, weight_node] = ops.parents;
        let gradient = gradients.consume::<B>(&ops.node);
        let (input, weight) = ops.state;
        let input = checkpointer.retrieve_node_output::<FloatTensor<B>>(input);
        let weight = checkpointer.retrieve_node_output::<FloatTensor<B>>(weight);
        if let Some(node) = weight_node {
            gradients.register::<B>(node.id, B::convolve_weight_gradient(input, gradient.clone()));
        }
        if let Some(node) = input_node {
            gradients.register::<B>(node.id, B::convolve(gradient, B::reverse_weight(weight)));
        }
    }
}

/// What the backward pass of a normalisation keeps: its operands, and its output where that was rectified.
type NormalisationState<B> = (Normalisation<B>, Option<FloatTensor<B>>);

#[derive(Debug)]
struct NormalisationBackward;

impl<B: BoardKernels> Backward<B, 3> for NormalisationBackward {
    type State = NormalisationState<B>;

    fn backward(self, ops: Ops<Self::State, 3>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let [input, scale, shift] = ops.parents;
        let (normalisation, output) = ops.state;
        let result = B::normalise_gradient(normalisation, output, gradients.consume::<B>(&ops.node));
        for (node, gradient) in [(input, result.input), (scale, result.scale), (shift, result.shift)] {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

#[derive(Debug)]
struct NormalisationAddBackward;

impl<B: BoardKernels> Backward<B, 4> for NormalisationAddBackward {
    type State = NormalisationState<B>;

    fn backward(self, ops: Ops<Self::State, 4>, gradients: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let [input, scale, shift, skip] = ops.parents;
        let (normalisation, output) = ops.state;
        let result = B::normalise_gradient(normalisation, output, gradients.consume::<B>(&ops.node));
        let pairs =
            [(input, result.input), (scale, result.scale), (shift, result.shift), (skip, result.skip)];
        for (node, gradient) in pairs {
            if let Some(node) = node {
                gradients.register::<B>(node.id, gradient);
            }
        }
    }
}

impl<B: BoardKernels, C: CheckpointStrategy> BoardOps for Autodiff<B, C> {
    fn board_convolution(input: FloatTensor<Self>, weight: FloatTensor<Self>) -> FloatTensor<Self> {
        match ConvolutionBackward.prepare::<C>([input.node(), weight.node()]).compute_bound().stateful() {
            OpsKind::Tracked(mut prepared) => {
                let state = (prepared.checkpoint(&input), prepared.checkpoint(&weight));
                prepared.finish(state, B::convolve(input.into_primitive(), weight.into_primitive()))
            }
            OpsKind::UnTracked(prepared) => {
                prepared.finish(B::convolve(input.into_primitive(), weight.into_primitive()))
            }
        }
    }

    fn channel_moments(input: FloatTensor<Self>) -> FloatTensor<Self> {
        FloatTensor::<Self>::new(B::moments(input.into_primitive()))
    }

    fn board_normalise(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        finish: Finish,
    ) -> FloatTensor<Self> {
        let nodes = [input.node(), scale.node(), shift.node()];
        let normalisation = Normalisation {
            input: input.into_primitive(),
            moments: moments.into_primitive(),
            scale: scale.into_primitive(),
            shift: shift.into_primitive(),
            skip: None,
        };
        match NormalisationBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let output = B::normalise(normalisation.clone(), finish);
                let open = (finish == Finish::Rectify).then(|| output.clone());
                prepared.finish((normalisation, open), output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(B::normalise(normalisation, finish)),
        }
    }

    fn board_normalise_add(
        input: FloatTensor<Self>,
        moments: FloatTensor<Self>,
        scale: FloatTensor<Self>,
        shift: FloatTensor<Self>,
        skip: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let nodes = [input.node(), scale.node(), shift.node(), skip.node()];
        let normalisation = Normalisation {
            input: input.into_primitive(),
            moments: moments.into_primitive(),
            scale: scale.into_primitive(),
            shift: shift.into_primitive(),
            skip: Some(skip.into_primitive()),
        };
        match NormalisationAddBackward.prepare::<C>(nodes).compute_bound().stateful() {
            OpsKind::Tracked(prepared) => {
                let output = B::normalise(normalisation.clone(), Finish::Rectify);
                let kept = Normalisation { skip: None, ..normalisation };
                prepared.finish((kept, Some(output.clone())), output)
            }
            OpsKind::UnTracked(prepared) => prepared.finish(B::normalise(normalisation, Finish::Rectify)),
        }
    }
}
