// What the integrations for site builders share.

import path from 'node:path';
import { build, PagerevError } from './index.js';

/**
 * @typedef {object} Logger
 * @property {(line: string) => void} info
 * @property {(line: string) => void} warn
 */

/**
 * Publishes a site that a builder has just written, and tells its user.
 *
 * In CI without a committed ledger nothing is published and nothing fails: one
 * line says what to run. A ledger that is there and stale fails the build, as
 * it does for the command.
 * @param {string} dir the folder with the built site
 * @param {import('./index.js').BuildOptions} options
 * @param {Logger} logger
 * @param {string} rebuild how the builder is run, as "astro build"
 * @returns {Promise<import('./index.js').Report | undefined>} undefined: nothing was published
 * @throws {PagerevError}
 */
export async function publish(dir, options, logger, rebuild) {
  const cwd = options.cwd ?? process.cwd();
  const ledger = options.ledger ?? 'pagerev.ledger.json';
  const lines = (/** @type {(line: string) => void} */ tell) => {
    let rest = '';
    return (/** @type {string} */ text) => {
      const all = (rest + text).split('\n');
      rest = /** @type {string} */ (all.pop());
      for (const line of all) tell(line);
    };
  };
  try {
    return await build(path.relative(cwd, dir) || '.', {
      ...options,
      stdout: lines((line) => logger.info(line)),
      stderr: lines((line) => {
        if (line.startsWith('warning: ')) logger.warn(line.slice(9));
        else if (line.startsWith('wrote: ')) logger.info(line);
      }),
    });
  } catch (e) {
    if (!(e instanceof PagerevError) || e.code !== 1) throw e;
    if (options.locked === undefined && /^there is no ledger at /.test(e.message)) {
      logger.warn(`no manifest is published: there is no ${ledger} yet: run "${rebuild}" where CI is not set, and commit the file`);
      return undefined;
    }
    e.message += `\nor run "${rebuild}" where CI is not set, and commit ${ledger}`;
    throw e;
  }
}
