import 'preact';

/** The element whose classes chessground's style sheet turns into a picture. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      piece: { class?: string; key?: string | number; style?: Record<string, string> };
    }
  }
}
