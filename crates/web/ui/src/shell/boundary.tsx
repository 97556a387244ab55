/** Confines a fault to the part of the page in which it happened. */

import { Component, type ComponentChildren } from 'preact';

interface BoundaryProps {
  /** Name of the part that cannot be shown when something inside fails. */
  what: string;
  /** True for a whole screen, which then needs a heading and a way out. */
  page?: boolean;
  children: ComponentChildren;
}

export class Boundary extends Component<BoundaryProps, { fault: string | null }> {
  override state = { fault: null };

  static override getDerivedStateFromError(error: unknown) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }

  override componentDidMount() {
    // Another address may show what this one could not.
    addEventListener('popstate', this.retry);
  }

  override componentWillUnmount() {
    removeEventListener('popstate', this.retry);
  }

  private readonly retry = () => {
    if (this.state.fault !== null) this.setState({ fault: null });
  };

  override render() {
    if (this.state.fault === null) return this.props.children;
    const said = (
      <p class="problem" role="alert">
        {this.props.what} cannot be shown: {this.state.fault}{' '}
        <button type="button" class="link" onClick={this.retry}>
          Try again
        </button>
      </p>
    );
    if (!this.props.page) return said;
    return (
      <main class="text-page">
        <h1>Something failed</h1>
        {said}
        <p>The other screens still work; the game and its clock are safe on the server.</p>
      </main>
    );
  }
}
