#!/usr/bin/env node
import process from 'node:process';
import { run } from '../lib/index.js';

// Who reads may stop: "pagerev diff | head".
process.stdout.on('error', (e) => {
  if (e.code !== 'EPIPE') throw e;
  process.exit(0);
});

const began = performance.now();
let shown = 0;
const clear = () => {
  if (shown > 0) process.stderr.write('\r\x1b[K');
};

const { code } = await run(process.argv.slice(2), {
  stdout: (t) => process.stdout.write(t),
  stderr(t) {
    clear();
    process.stderr.write(t);
  },
  progress(done, total) {
    const now = performance.now();
    if (!process.stderr.isTTY || now - began < 1000 || now - shown < 100) return;
    shown = now;
    process.stderr.write(`\rreading pages ${done}/${total}\x1b[K`);
  },
});
clear();
process.exitCode = code;
