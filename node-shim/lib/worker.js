// A thread that extracts pages. It is given the artifact, compiled, and the
// setup; then batches of tasks, each of which it answers with their outcomes.

import { parentPort, workerData } from 'node:worker_threads';
import { extractor } from './instance.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const { module, env, setup } = workerData;
const extract = extractor(module, env, setup);

port.on('message', (/** @type {Uint8Array[]} */ tasks) => port.postMessage(tasks.map(extract)));
