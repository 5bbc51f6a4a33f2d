// One instance of the artifact, and what it imports beside WASI: module
// "pagerev" of docs/wasm.md. The command runs in one, pages are extracted in
// others, here or in worker threads.

import { Buffer } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Exit, native, wasi } from './wasi.js';

/**
 * @typedef {object} World what an instance sees
 * @property {string[]} args the command's arguments
 * @property {Record<string, string>} env
 * @property {(bytes: Uint8Array) => void} stdout
 * @property {(bytes: Uint8Array) => void} stderr
 * @property {(json: string) => void} [report]
 */

/** Why an instance is no more: every call throws this from then on. */
export class Trap extends Error {}

export class Instance {
  /**
   * @param {WebAssembly.Module} module
   * @param {World} world
   */
  constructor(module, world) {
    this.wasi = wasi({ ...world, args: ['pagerev', ...world.args] });
    /** @type {Trap | undefined} */
    this.trap = undefined;
    const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: this.wasi.imports, pagerev: this.imports(world) });
    this.exports = /** @type {Record<string, (...a: number[]) => any>} */ (instance.exports);
    this.memory = /** @type {WebAssembly.Memory} */ (instance.exports.memory);
    this.wasi.bind(this.memory);
    this.guarded(() => this.exports._initialize());
  }

  /**
   * Calls an export.
   * @param {string} name
   * @param {Uint8Array} [data] goes into the buffer before
   * @returns {Buffer} a copy of what it gives
   * @throws {Trap} the instance is to be replaced
   */
  call(name, data) {
    return this.guarded(() => {
      if (data) this.bytes(this.exports.buffer(data.length), data.length).set(data);
      const at = BigInt.asUintN(64, this.exports[name]());
      return Buffer.from(this.bytes(Number(at >> 32n), Number(at & 0xffffffffn)));
    });
  }

  /** A view of the memory; it is another one after memory grew. @param {number} at @param {number} n */
  bytes(at, n) {
    return new Uint8Array(this.memory.buffer, at >>> 0, n >>> 0);
  }

  /**
   * @template T
   * @param {() => T} f
   * @returns {T}
   */
  guarded(f) {
    if (this.trap) throw this.trap;
    try {
      return f();
    } catch (e) {
      this.wasi.abandon();
      this.trap = new Trap(e instanceof Exit ? 'the program broke off' : e instanceof Error ? e.message : String(e));
      throw this.trap;
    }
  }

  /**
   * @param {World} world
   * @returns {WebAssembly.ModuleImports}
   */
  imports({ env, report }) {
    /** @type {Uint8Array} */
    let answer = Buffer.alloc(0);
    const sum = (/** @type {Uint8Array} */ data, /** @type {number} */ at) => this.bytes(at, 32).set(createHash('sha256').update(data).digest());
    return {
      spawn: (/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ input, /** @type {number} */ inputSize) => {
        const q = JSON.parse(Buffer.from(this.bytes(at, n)).toString());
        const vars = q.env.map((/** @type {string} */ v) => [v.slice(0, v.indexOf('=')), v.slice(v.indexOf('=') + 1)]);
        const p = spawnSync(q.path, q.args, {
          cwd: String(native(Buffer.from(q.dir))), env: Object.fromEntries(vars), input: Buffer.from(this.bytes(input, inputSize)), maxBuffer: Infinity, windowsHide: true,
        });
        const error = /** @type {NodeJS.ErrnoException | undefined} */ (p.error);
        const stdout = p.stdout ?? Buffer.alloc(0);
        const head = error?.code === 'ENOENT' ? { missing: true } : error ? { error: error.message } : { code: p.status ?? 0, signal: p.signal ?? '', stdout: stdout.length };
        answer = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), stdout, p.stderr ?? Buffer.alloc(0)]);
        return answer.length;
      },
      take: (/** @type {number} */ at) => this.bytes(at, answer.length).set(answer),
      alive: (/** @type {number} */ pid) => {
        try {
          process.kill(pid, 0);
          return 1;
        } catch (e) {
          return /** @type {NodeJS.ErrnoException} */ (e).code === 'ESRCH' ? 0 : 1;
        }
      },
      sha256: (/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ to) => sum(this.bytes(at, n), to),
      filesum: (/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ to) => {
        const name = Buffer.from(this.bytes(at, n));
        try {
          sum(fs.readFileSync(native(name[0] === 47 ? name : Buffer.concat([Buffer.from(`${env.PWD}/`), name]))), to);
          return 1;
        } catch {
          return 0; // it is read in the usual way, which tells what is wrong
        }
      },
      report: (/** @type {number} */ at, /** @type {number} */ n) => report?.(Buffer.from(this.bytes(at, n)).toString()),
    };
  }
}

/**
 * Extracts pages one by one, with a new instance after each that trapped.
 * @param {WebAssembly.Module} module
 * @param {Record<string, string>} env
 * @param {Uint8Array} setup
 * @returns {(task: Uint8Array) => Uint8Array} gives a task's outcome
 */
export function extractor(module, env, setup) {
  /** @type {Instance | undefined} */
  let instance;
  const silent = () => {};
  return (task) => {
    try {
      if (!instance) {
        instance = new Instance(module, { args: [], env, stdout: silent, stderr: silent });
        const wrong = instance.call('configure', setup);
        if (wrong.length > 0) throw new Error(wrong.toString());
      }
      return instance.call('extract', task);
    } catch (e) {
      if (!(e instanceof Trap)) throw e;
      instance = undefined;
      return failed(setup, task, e.message);
    }
  };
}

/**
 * The outcome of a page that could not be extracted.
 * @param {Uint8Array} setup
 * @param {Uint8Array} task
 * @param {string} why
 */
export function failed(setup, task, why) {
  const name = path.posix.join(JSON.parse(text(setup)).Dir, JSON.parse(text(task)).Path);
  return Buffer.from(JSON.stringify({ error: `${name}: ${why}: this is a fault of pagerev: please report it with the page, and exclude the page meanwhile` }));
}

/** @param {Uint8Array} bytes */
const text = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
