import { Icon } from '../icons.tsx';

interface Props {
  ply: number;
  last: number;
  onStep: (ply: number) => void;
  /** Goes to the last position if it is further away than `last` says. */
  onLast?: () => void;
  onFlip: () => void;
}

/** Buttons for first, back, forward and last, and for flipping the board. */
export function StepButtons({ ply, last, onStep, onLast, onFlip }: Props) {
  return (
    <div class="step-buttons" role="group" aria-label="Positions">
      <button type="button" class="icon-button" aria-label="First position" disabled={ply === 0} onClick={() => onStep(0)}>
        <Icon name="first" />
      </button>
      <button type="button" class="icon-button" aria-label="One move back" disabled={ply === 0} onClick={() => onStep(ply - 1)}>
        <Icon name="previous" />
      </button>
      <button type="button" class="icon-button" aria-label="One move forward" disabled={ply >= last} onClick={() => onStep(ply + 1)}>
        <Icon name="next" />
      </button>
      <button type="button" class="icon-button" aria-label="Last position" disabled={ply >= last} onClick={() => (onLast ? onLast() : onStep(last))}>
        <Icon name="last" />
      </button>
      <button type="button" class="icon-button" aria-label="Flip the board" title="Flip (f)" onClick={onFlip}>
        <Icon name="flip" />
      </button>
    </div>
  );
}
