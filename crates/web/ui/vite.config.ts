import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Puts a gzipped copy beside each text file, so that the server never compresses anything itself. */
function gzipped(): Plugin {
  return {
    name: 'gzipped',
    apply: 'build',
    closeBundle() {
      const folder = fileURLToPath(new URL('dist/assets/', import.meta.url));
      for (const name of readdirSync(folder)) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        writeFileSync(`${folder}${name}.gz`, gzipSync(readFileSync(folder + name), { level: 9 }));
      }
    },
  };
}

/** Where `tabiya play` listens unless it is told otherwise. */
const SERVER = 'http://127.0.0.1:8080';

export default defineConfig({
  build: {
    target: 'es2022',
    // The board's pieces are pictures inside the style sheet; nothing else is large.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // For work on the page alone: requests go to `tabiya play`, which answers only its own page.
  server: { proxy: { '/api': { target: SERVER, ws: true, changeOrigin: true, headers: { origin: SERVER } } } },
  plugins: [gzipped()],
});
