/** The layers of a network as the stages of a drawing: what belongs together, what repeats, and what each kind of layer does. */

import type { NetworkLayer } from '../server/types.ts';

/** What the kinds of layers do, by the beginnings of their texts. Other layers are named behind the one that they follow. */
const KINDS: readonly [begin: string, does: string][] = [
  ['convolution 1x1', 'mixes the channels of each square by itself'],
  ['convolution', 'looks at each square and its neighbours, with the same weights on the whole board'],
  ['dense layer', 'weighs all of its inputs for each of its outputs'],
  ['fully connected', 'weighs all of its inputs for each of its outputs'],
  ['rows that are added up', 'has a row for each feature of a position, such as a piece on a square; a move changes few of them'],
  ['gate of squeeze-and-excitation', 'scales whole channels by what is on the board as a whole'],
  ['average pooling', 'keeps the mean over squares'],
  ['max pooling', 'keeps the largest of neighbouring squares'],
  ['sum with a skip connection', 'adds what went into the block, which therefore learns a correction'],
  ['attention', 'lets each square gather from all others, by weights that depend on the position'],
  ['scores of moves', 'scores each pair of squares: from where, to where'],
  ['scale', 'has numbers of its own for each square, which tell the squares apart'],
  ['shift', 'has numbers of its own for each square, which tell the squares apart'],
  ['numbers', 'joins the part of the input that belongs to no square'],
  ['channels of both', 'puts two results together'],
];

/** A layer as it is drawn. */
export interface DrawnLayer {
  /** The layer and those without an explanation that follow it: `convolution 3x3, batch normalisation, relu`. */
  text: string;
  /** The shape of what comes out. */
  shape: string;
  parameters: number;
  /** What it does; empty if the drawing has said it before. */
  does: string;
}

export interface Stage {
  /** The beginning of the names of its layers. */
  part: string;
  /** Number of equal stages one after another. */
  times: number;
  layers: DrawnLayer[];
}

export interface Drawing {
  trunk: Stage[];
  /** What the trunk, or the input itself, is turned into: moves, a value. */
  heads: Stage[];
}

export function drawingOf(layers: readonly NetworkLayer[]): Drawing {
  const stages = explained(folded(partsOf(layers)));
  const isHead = ({ part }: Stage) => part === 'policy' || part === 'value';
  return { trunk: stages.filter((stage) => !isHead(stage)), heads: stages.filter(isHead) };
}

/** `block3` of `block3.first`, `body.6` of `body.6.0`. */
function partOf(name: string): string {
  return name.split('.', name.startsWith('body.') ? 2 : 1).join('.');
}

function doesOf(layer: string): string {
  return KINDS.find(([begin]) => layer.startsWith(begin))?.[1] ?? '';
}

/** The parts in their order. Single layers one after another, as in recipes with a list of layers, are one part. */
function partsOf(layers: readonly NetworkLayer[]): Stage[] {
  const stages: Stage[] = [];
  for (const { name, layer, shape, parameters } of layers) {
    const part = partOf(name);
    const stage = stages.at(-1);
    const last = stage?.layers.at(-1);
    const isAlone = layers.filter((other) => partOf(other.name) === part).length === 1;
    if (last && doesOf(layer) === '' && (stage?.part === part || isAlone)) {
      last.text += `, ${layer}`;
      last.shape = shape;
      last.parameters += parameters;
      continue;
    }
    const drawn = { text: layer, shape, parameters, does: doesOf(layer) };
    const own = isAlone && part.startsWith('body.') ? 'body' : part;
    if (stage?.part === own) stage.layers.push(drawn);
    else stages.push({ part: own, times: 1, layers: [drawn] });
  }
  return stages;
}

/** Equal stages that follow each other become one. */
function folded(stages: readonly Stage[]): Stage[] {
  const kept: Stage[] = [];
  for (const stage of stages) {
    const last = kept.at(-1);
    if (last && JSON.stringify(last.layers) === JSON.stringify(stage.layers)) last.times += 1;
    else kept.push(stage);
  }
  return kept;
}

/** Each explanation is given once, where the drawing needs it first. */
function explained(stages: Stage[]): Stage[] {
  const said = new Set<string>();
  for (const layer of stages.flatMap((stage) => stage.layers)) {
    if (said.has(layer.does)) layer.does = '';
    said.add(layer.does);
  }
  return stages;
}

/** The heading of a stage. */
export function titleOf({ part }: Stage): string {
  if (part === 'policy') return 'Policy: which move';
  if (part === 'value') return 'Value: how it will end';
  if (part === 'stem') return 'Stem';
  return part.startsWith('block') || part.startsWith('body.') ? 'Block' : part === 'body' ? 'Layers' : part;
}

/** Pixels of a doubling, and of a rank of the board. */
const DOUBLING = 6;
const RANK = 3;
const LEAST = 4;

/** The box for what comes out of a layer: as wide as it has channels or numbers, as high as its board. */
export function boxOf(shape: string): { width: number; height: number } | null {
  const [, count, ranks] = /^(\d+) (?:channels of (\d+)x\d+ squares|numbers)$/.exec(shape) ?? /^\d+ x (\d+)$/.exec(shape) ?? [];
  if (count === undefined) return null;
  return { width: LEAST + DOUBLING * Math.log2(Number(count)), height: Math.max(LEAST, RANK * Number(ranks ?? 1)) };
}
