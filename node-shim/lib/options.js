// The options that pagerev.json, the flags and the integrations share.

/** @type {Record<string, 'string' | 'list' | 'boolean' | 'number'>} */
const kinds = {
  ledger: 'string', config: 'string', site: 'string', urls: 'string', include: 'list', exclude: 'list', content: 'list', ignore: 'list',
  media: 'string', menus: 'boolean', coverage: 'list', digests: 'string', strict: 'boolean', base: 'list', accept: 'string', jobs: 'number', locked: 'boolean',
};

const wanted = { string: 'a string', list: 'a string or an array of strings', boolean: 'true or false', number: 'a number' };

const fits = (/** @type {string} */ kind, /** @type {unknown} */ value) =>
  kind === 'list' ? typeof value === 'string' || (Array.isArray(value) && value.every((v) => typeof v === 'string')) : typeof value === kind;

export const options = {
  names: Object.keys(kinds),
  /**
   * @param {object} given what a user wrote
   * @param {readonly string[]} [also] names of the integration's own options
   * @throws {TypeError} which option is wrong, and what it should be
   */
  check(given, also = []) {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new TypeError('pagerev: the options must be an object');
    for (const [name, value] of Object.entries(given)) {
      if (also.includes(name) || value === undefined) continue;
      const kind = kinds[name];
      if (!kind) throw new TypeError(`pagerev: "${name}" is no option${near(name, [...options.names, ...also])}`);
      if (!fits(kind, value)) throw new TypeError(`pagerev: the option "${name}" must be ${wanted[kind]}, not ${JSON.stringify(value) ?? typeof value}`);
    }
  },
};

/**
 * @param {string} name
 * @param {string[]} names
 */
function near(name, names) {
  const same = (/** @type {string} */ a, /** @type {string} */ b) => {
    // The distance of Levenshtein, one row at a time.
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      row = next;
    }
    return row[b.length];
  };
  const best = names.map((n) => ({ n, d: same(name.toLowerCase(), n.toLowerCase()) })).sort((a, b) => a.d - b.d)[0];
  return best && best.d <= 2 ? `: did you mean "${best.n}"?` : `; there are ${names.join(', ')}`;
}

/**
 * The options as flags of the command.
 * @param {import('./index.js').Options} given
 * @returns {string[]}
 */
export function flags(given) {
  const out = [];
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (name === 'coverage') out.push('--coverage', Array.isArray(value) ? value.join(',') : String(value));
    else if (kinds[name] === 'boolean') out.push(`--${name}=${value}`);
    else for (const v of Array.isArray(value) ? value : [value]) out.push(`--${name}`, String(v));
  }
  return out;
}
