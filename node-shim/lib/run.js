// Runs a command: the artifact goes on until it has pages to extract or sleeps,
// which is done for it here, and then goes on, up to its exit code.

import { Buffer } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import os from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Instance, Trap } from './instance.js';
import { extract } from './pool.js';

/** @type {Promise<WebAssembly.Module> | undefined} */
let compiled;
const artifact = () => (compiled ??= readFile(new URL('../pagerev.wasm', import.meta.url)).then((bytes) => WebAssembly.compile(bytes)));

/** @type {typeof import('./index.js').run} */
export async function run(args, { cwd = process.cwd(), env = process.env, stdout, stderr, signal, progress } = {}) {
  signal?.throwIfAborted();
  const module = await artifact();
  const vars = /** @type {Record<string, string>} */ ({});
  for (const [name, value] of Object.entries(env)) if (value !== undefined) vars[name] = value;
  const folder = cwd.replaceAll('\\', '/');
  Object.assign(vars, { PWD: folder.startsWith('/') ? folder : `/${folder}`, PAGEREV_PID: String(process.pid), PAGEREV_HOST: os.hostname() });

  /** @type {import('./index.js').Report | undefined} */
  let report;
  const tell = (/** @type {string} */ text) => stderr?.(text);
  const command = new Instance(module, {
    args: [...args], env: vars, stdout: decoder(stdout), stderr: decoder(tell),
    report: (json) => (report = JSON.parse(json)),
  });
  try {
    /** @type {'plan' | 'assemble' | 'interrupt'} */
    let next = 'plan';
    let data = Buffer.alloc(0);
    for (;;) {
      const [head, setup, ...tasks] = lines(command.call(next, data));
      const { code, sleep, jobs } = JSON.parse(head.toString());
      if (code !== undefined) {
        if (next === 'interrupt' && code !== 0) signal?.throwIfAborted();
        return { code, report };
      }
      if (sleep !== undefined) {
        await setTimeout(sleep, undefined, { signal }).catch(() => {});
        data = Buffer.alloc(0);
      } else {
        data = Buffer.concat((await extract({ module, env: vars, jobs, setup, tasks, signal, progress })).flatMap((o) => [o, newline]));
      }
      next = signal?.aborted ? 'interrupt' : 'assemble';
    }
  } catch (e) {
    if (!(e instanceof Trap)) throw e;
    tell(`pagerev: ${e.message}: this is a fault of pagerev: please report it. Nothing is half-written.\n`);
    return { code: 3, report };
  }
}

const newline = Buffer.from('\n');

/** @param {Buffer} text */
function lines(text) {
  const all = [];
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf(10, at);
    const to = end < 0 ? text.length : end;
    all.push(text.subarray(at, to));
    at = to + 1;
  }
  return all;
}

/**
 * A character may come in two pieces.
 * @param {((text: string) => void) | undefined} take
 * @returns {(bytes: Uint8Array) => void}
 */
function decoder(take) {
  const d = new TextDecoder();
  return (bytes) => take?.(d.decode(bytes, { stream: true }));
}
