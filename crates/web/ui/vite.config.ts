import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Puts a gzipped copy beside each text file, so that the server never compresses anything itself. */
function gzipped(): Plugin {
  return {
    name: 'gzipped',
    apply: 'build',
    closeBundle() {
      const folder = join(import.meta.dirname, 'dist', 'assets');
      for (const name of readdirSync(folder)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        writeFileSync(join(folder, `${name}.gz`), gzipSync(readFileSync(join(folder, name)), { level: 9 }));
      }
    },
  };
}

/** Where `tabiya play` listens unless it is told otherwise. */
const SERVER = 'http://127.0.0.1:8080';

export default defineConfig({
  build: {
    target: 'es2023',
    // The board's pieces are pictures inside the style sheet; nothing else is large.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // For work on the page alone: requests go to `tabiya play`, which answers only its own page.
  server: { proxy: { '/api': { target: SERVER, ws: true, changeOrigin: true, headers: { origin: SERVER } } } },
  plugins: [gzipped()],
});
