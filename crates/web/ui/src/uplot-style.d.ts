/** The chart library's style sheet, which Vite bundles. */
declare module '*.css';
