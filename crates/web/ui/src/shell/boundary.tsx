/** Keeps a fault inside the part of the page in which it happened. */

import { Component, type ComponentChildren } from 'preact';

interface BoundaryProps {
  /** What cannot be shown when something inside fails. */
  what: string;
  children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { fault: string | null }> {
  override state = { fault: null };

  static override getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override render() {
    if (this.state.fault === null) return this.props.children;
    return (
      <p class="problem">
        {this.props.what} cannot be shown: {this.state.fault}
      </p>
    );
  }
}
