import { spawn } from 'node:child_process';

/** @type {typeof import('./index.js').run} */
export function run(args, { cwd, env = process.env, stdout, stderr, signal } = {}) {
  // Until the artifact is in its place.
  return new Promise((resolve, reject) => {
    const p = spawn(process.env.PAGEREV_NATIVE ?? '/tmp/w5/pagerev', args, { cwd, env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    p.stdout.on('data', (d) => stdout?.(String(d)));
    p.stderr.on('data', (d) => stderr?.(String(d)));
    p.on('error', reject);
    p.on('close', (code) => resolve({ code, report: code === 0 ? { changes: [], warnings: [], written: [] } : undefined }));
  });
}
