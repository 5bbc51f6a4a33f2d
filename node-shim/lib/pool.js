// Where pages are extracted: on this thread if they are few, else in worker
// threads.

import { setImmediate } from 'node:timers/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { extractor, failed } from './instance.js';

/** From how many pages on threads are worth their start: see docs/wasm.md. */
const many = 200;

/** Pages that a thread is given at a time, and how many such it has ahead. */
const batch = 16;
const ahead = 2;

/**
 * @typedef {object} Work
 * @property {WebAssembly.Module} module
 * @property {Record<string, string>} env
 * @property {number} jobs threads; 0 is as many as fit
 * @property {Uint8Array} setup
 * @property {Uint8Array[]} tasks
 * @property {AbortSignal} [signal]
 * @property {(done: number, total: number) => void} [progress]
 */

/**
 * @param {Work} work
 * @returns {Promise<Uint8Array[]>} the outcomes, in the order of the tasks; of an aborted one nobody looks at them
 */
export function extract(work) {
  const { jobs, tasks } = work;
  const threads = Math.min(jobs || (tasks.length < many ? 1 : availableParallelism()), Math.ceil(tasks.length / batch));
  return threads < 2 ? here(work) : inThreads(work, threads);
}

/** @param {Work} work */
async function here({ module, env, setup, tasks, signal, progress }) {
  const one = extractor(module, env, setup);
  /** @type {Uint8Array[]} */
  const outcomes = [];
  let last = performance.now();
  for (const task of tasks) {
    outcomes.push(one(task));
    if (performance.now() - last < 50) continue;
    progress?.(outcomes.length, tasks.length);
    await setImmediate(); // signals and timers have their turn
    if (signal?.aborted) break;
    last = performance.now();
  }
  return outcomes;
}

/**
 * @param {Work} work
 * @param {number} threads
 * @returns {Promise<Uint8Array[]>}
 */
function inThreads({ module, env, setup, tasks, signal, progress }, threads) {
  /** @typedef {{ from: number, to: number, deaths: number }} Batch a range of the tasks, and how many threads died of it */
  /** @type {Batch[]} */
  const todo = [];
  for (let from = 0; from < tasks.length; from += batch) todo.push({ from, to: Math.min(from + batch, tasks.length), deaths: 0 });
  todo.reverse();
  /** @type {Uint8Array[]} */
  const outcomes = new Array(tasks.length);
  let done = 0;
  /** @type {Set<Worker>} */
  const workers = new Set();

  return new Promise((resolve, reject) => {
    const end = (/** @type {() => void} */ how) => {
      signal?.removeEventListener('abort', aborted);
      Promise.all([...workers].map((w) => w.terminate())).then(how, reject);
      workers.clear();
    };
    const aborted = () => end(() => resolve(outcomes));
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) return aborted();

    const finish = (/** @type {Batch} */ b, /** @type {Uint8Array[]} */ results) => {
      results.forEach((r, i) => (outcomes[b.from + i] = r));
      done += results.length;
      progress?.(done, tasks.length);
      if (done === tasks.length) end(() => resolve(outcomes));
    };

    const start = () => {
      const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: { module, env, setup }, execArgv: [] });
      workers.add(worker);
      /** @type {Batch[]} what it has */
      const has = [];
      const feed = () => {
        while (has.length < ahead) {
          const b = todo.pop();
          if (!b) break;
          has.push(b);
          worker.postMessage(tasks.slice(b.from, b.to));
        }
      };
      worker.on('message', (/** @type {Uint8Array[]} */ results) => {
        finish(/** @type {Batch} */ (has.shift()), results);
        feed();
      });
      let why = 'its thread was ended';
      worker.on('error', (e) => (why = `its thread failed (${e.message})`));
      worker.on('exit', () => {
        if (!workers.delete(worker)) return;
        // The first of its batches is the suspect: it is done again page by page.
        const [suspect, ...rest] = has;
        todo.push(...rest);
        if (suspect && suspect.to - suspect.from > 1) {
          for (let i = suspect.to - 1; i >= suspect.from; i--) todo.push({ from: i, to: i + 1, deaths: suspect.deaths + 1 });
        } else if (suspect && suspect.deaths < 2) {
          todo.push({ ...suspect, deaths: suspect.deaths + 1 });
        } else if (suspect) {
          finish(suspect, [failed(setup, tasks[suspect.from], why)]);
        }
        if (todo.length > 0) start();
      });
      feed();
    };
    for (let i = 0; i < threads; i++) start();
  });
}
