/**
 * pagerev's commands for JavaScript: the same core as the native command, run
 * as WebAssembly. See index.d.ts for what each function takes and gives.
 * @module
 */
import { options as known, flags } from './options.js';
import { run } from './run.js';

export { run };

export class PagerevError extends Error {
  /**
   * @param {string} message
   * @param {1 | 2 | 3} code
   * @param {import('./index.js').Report} [report]
   */
  constructor(message, code, report) {
    super(message);
    this.name = 'PagerevError';
    this.code = code;
    this.report = report;
  }
}

/**
 * @param {'build' | 'check'} command
 * @param {string} dir
 * @param {import('./index.js').BuildOptions} options
 */
async function work(command, dir, options) {
  const { cwd, env, signal, progress, stdout, stderr, ...rest } = options;
  known.check(rest);
  /** @type {string[]} */
  const errors = [];
  let words = '';
  const result = await run([command, dir, ...flags(rest)], {
    cwd, env, signal, progress, stdout,
    stderr(text) {
      words += text;
      stderr?.(text);
    },
  });
  if (result.code === 0 && result.report) return result.report;
  for (const line of words.split('\n')) {
    if (line.startsWith('pagerev: ')) errors.push(line.slice(9));
  }
  throw new PagerevError(errors.join('\n') || words || `the command ended with code ${result.code}`, /** @type {1 | 2 | 3} */ (result.code), result.report);
}

/** @type {typeof import('./index.js').build} */
export const build = (dir, options = {}) => work('build', dir, options);

/** @type {typeof import('./index.js').check} */
export const check = (dir, options = {}) => work('check', dir, options);
