/** Options of a build. Those that stand in pagerev.json too have the same names, and win over it. */
export interface Options {
  /** The ledger file, relative to `cwd`. Default: pagerev.ledger.json. */
  ledger?: string;
  /** The configuration file, relative to `cwd`. Default: pagerev.json, if there is one. */
  config?: string;
  /** The URL the site is published at, with its base path: "https://example.com/docs/". By default it is learned from the site. */
  site?: string;
  /** URL style. Default: what the ledger says, else learned from the site. */
  urls?: 'auto' | 'slash' | 'no-slash' | 'html' | 'file';
  /** Globs of more files to list, relative to the site's root. */
  include?: string | readonly string[];
  /** Globs of files to leave out, relative to the site's root. */
  exclude?: string | readonly string[];
  /** CSS selectors of the content; the first that matches is taken. */
  content?: string | readonly string[];
  /** CSS selectors of parts that are not content. */
  ignore?: string | readonly string[];
  /** With "names", build hashes in the names of pictures do not count. */
  media?: 'names';
  /** Whether menus count as content. Default: false. */
  menus?: boolean;
  /** What the manifest says of URLs it does not list: "complete", "none", or URL path prefixes. */
  coverage?: 'complete' | 'none' | readonly string[];
  /** Which pages carry a SHA-256 digest of their body. Default: all. */
  digests?: 'all' | 'stable' | 'none';
  /** Fail when the build is in doubt. Default: false. */
  strict?: boolean;
  /** More ledger files, or git revisions, that nothing may fall below. */
  base?: string | readonly string[];
  /** The reason for which a build that is in doubt passes. */
  accept?: string;
  /** How many pages to read at once. Default: one for each processor, where the site is big. */
  jobs?: number;
  /** Publish from the committed ledger, and fail rather than write it. Default: whether the variable CI is set. */
  locked?: boolean;
}

export interface RunOptions {
  /** The folder that relative names start from. Default: process.cwd(). */
  cwd?: string;
  /** Environment variables. Default: process.env. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Takes what the command prints as its result, in pieces. Default: nothing is printed. */
  stdout?: (text: string) => void;
  /** Takes what the command tells people, in pieces. Default: nothing is printed. */
  stderr?: (text: string) => void;
  /** Stops the command: the ledger is then as it was, or whole. */
  signal?: AbortSignal;
  /** Told how many of the pages were read, while that goes on. */
  progress?: (done: number, total: number) => void;
}

export interface Change {
  /** The page's URL key: its percent-encoded path. */
  key: string;
  kind: string;
  /** The rev before, 0 for a new page. */
  from: number;
  to: number;
  /** Which of head, text and refs changed. */
  facets?: string[];
  reason?: string;
  /** The page is a list of the site's other pages. */
  list?: boolean;
}

/** What a build did: the document that `pagerev build --json` prints. */
export interface Report {
  /** Files in the folder. */
  files: number;
  /** Pages listed in the manifest. */
  pages: number;
  new: number;
  changed: number;
  gone: number;
  back: number;
  /** Pages whose bytes moved since the last build here, while their content did not. */
  drifted: number;
  siteRevBefore: number;
  siteRev: number;
  changes: Change[];
  warnings: string[];
  /** The files that were written. */
  written: string[];
  /** Files that are pages and not listed, by reason. */
  leftOut: Record<string, string[]>;
  /** The command that mends what check found. */
  fix?: string;
  [member: string]: unknown;
}

export interface Result {
  /** 0 fine, 1 the check failed, 2 wrong use or configuration, 3 a file or network failure. */
  code: 0 | 1 | 2 | 3;
  /** Of a build or check that came so far. */
  report?: Report;
}

/**
 * Runs any command as `npx pagerev` does: `run(['build', 'dist'])`.
 * @throws {DOMException} AbortError, or the signal's reason, when the signal stopped it
 */
export function run(args: readonly string[], options?: RunOptions): Promise<Result>;

export interface BuildOptions extends Options, Pick<RunOptions, 'cwd' | 'env' | 'signal' | 'progress' | 'stdout' | 'stderr'> {}

/**
 * Reads the built site in `dir`, advances the ledger and writes the manifest,
 * as `pagerev build` does.
 * @throws {PagerevError} when the command ends with another code than 0; nothing half-written is left
 */
export function build(dir: string, options?: BuildOptions): Promise<Report>;

/**
 * Says what build would do, and writes nothing, as `pagerev check` does.
 * @throws {PagerevError} code 1 when the ledger is not what this build gives
 */
export function check(dir: string, options?: Omit<BuildOptions, 'locked'>): Promise<Report>;

/** A command that failed: the message is what it told people. */
export class PagerevError extends Error {
  readonly name: 'PagerevError';
  /** 1 the check failed, 2 wrong use or configuration, 3 a file or network failure. */
  readonly code: 1 | 2 | 3;
  readonly report?: Report;
}
