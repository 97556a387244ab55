/** The layers of a network as a drawing, from its input at the top to its answers at the bottom. */

import type { NetworkLayer } from '../server/types.ts';
import { type DrawnLayer, type Stage, boxOf, drawingOf, titleOf } from './layer-stages.ts';
import '../../styles/network-layers.css';

export function Layers({ layers }: { layers: readonly NetworkLayer[] }) {
  const { trunk, heads } = drawingOf(layers);
  const all = layers.reduce((sum, { parameters }) => sum + parameters, 0);
  return (
    <section class="network-layers" aria-label="Layers">
      <p class="note">The input is at the top, the outputs are at the bottom. A box is as high as the layer's output board, and wider with every doubling of its channels or units.</p>
      {trunk.map((stage, index) => (
        <StageBox key={index} stage={stage} all={all} />
      ))}
      <div class="network-heads">
        {heads.map((stage) => (
          <StageBox key={stage.part} stage={stage} all={all} />
        ))}
      </div>
    </section>
  );
}

function StageBox({ stage, all }: { stage: Stage; all: number }) {
  return (
    <div class="network-stage">
      <h3>
        {titleOf(stage)}
        {stage.times > 1 && ` × ${stage.times}`}
      </h3>
      <ul>
        {stage.layers.map((layer, index) => (
          <LayerRow key={index} layer={layer} share={(stage.times * layer.parameters) / all} />
        ))}
      </ul>
    </div>
  );
}

/** `share` is that of the network's parameters, with those of equal stages. */
function LayerRow({ layer: { text, shape, parameters, does }, share }: { layer: DrawnLayer; share: number }) {
  const box = boxOf(shape);
  return (
    <li>
      <svg viewBox="0 0 96 24" aria-hidden="true">
        {box && <rect y={(24 - box.height) / 2} width={box.width} height={box.height} />}
      </svg>
      <span>
        <b>{text}</b>
        {does && `: ${does}`}
        <span class="note figure">
          {' '}
          {shape}
          {parameters > 0 && ` · ${parameters.toLocaleString('en')} parameters`}
          {share >= 0.01 && ` (${Math.round(100 * share)} %)`}
        </span>
      </span>
    </li>
  );
}
