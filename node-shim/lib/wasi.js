// The import object of the artifact: WASI preview 1 as far as Go's runtime and
// package os call it, over node:fs. node:wasi is not used: it prints a warning,
// and wants a flag in some versions.
//
// Paths are bytes all the way, since names of files need not be UTF-8. A folder
// is known by its path, for Node has no openat.

import { Buffer } from 'node:buffer';
import { randomFillSync } from 'node:crypto';
import fs from 'node:fs';

const OK = 0;
const BADF = 8;
const INVAL = 28;
const NOSYS = 52;
const NOTDIR = 54;
const IO = 29;

/** WASI's numbers for the errors of node:fs. */
const errno = {
  E2BIG: 1, EACCES: 2, EAGAIN: 6, EBADF: 8, EBUSY: 10, EEXIST: 20, EFAULT: 21, EFBIG: 22, EINTR: 27, EINVAL: 28, EIO: 29,
  EISDIR: 31, ELOOP: 32, EMFILE: 33, EMLINK: 34, ENAMETOOLONG: 37, ENFILE: 41, ENODEV: 43, ENOENT: 44, ENOMEM: 48, ENOSPC: 51,
  ENOSYS: 52, ENOTDIR: 54, ENOTEMPTY: 55, ENOTSUP: 58, ENXIO: 60, EOVERFLOW: 61, EPERM: 63, EPIPE: 64, EROFS: 69, ESPIPE: 70, EXDEV: 75,
};

const FOLDER = 3;
const FILE = 4;
const LINK = 7;

/** @param {fs.Stats | fs.BigIntStats | fs.Dirent} s */
const kind = (s) => (s.isDirectory() ? FOLDER : s.isFile() ? FILE : s.isSymbolicLink() ? LINK : s.isCharacterDevice() ? 2 : s.isBlockDevice() ? 1 : 0);

/** Thrown by proc_exit. */
export class Exit extends Error {
  /** @param {number} code */
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

const slash = Buffer.from('/');

/**
 * @param {Buffer} folder
 * @param {Buffer} name
 */
const join = (folder, name) =>
  name.length === 0 || (name.length === 1 && name[0] === 46) ? folder : folder.length === 1 && folder[0] === 47 ? Buffer.concat([slash, name]) : Buffer.concat([folder, slash, name]);

/**
 * The artifact knows no drives: it is told "/C:/site".
 * @param {Buffer} name
 */
export const native = (name) => (process.platform === 'win32' ? Buffer.from(name.toString().replace(/^.*\/(?=[A-Za-z]:(\/|$))/, '')) : name);

/**
 * @param {object} o
 * @param {string[]} o.args the command line, the program's name first
 * @param {Record<string, string>} o.env
 * @param {(bytes: Uint8Array) => void} o.stdout
 * @param {(bytes: Uint8Array) => void} o.stderr
 * @returns {{ imports: WebAssembly.ModuleImports, bind(memory: WebAssembly.Memory): void, abandon(): void }}
 */
export function wasi({ args, env, stdout, stderr }) {
  /** @type {WebAssembly.Memory} */
  let memory;
  // The buffer is another one after memory grew, so views are made anew.
  const view = () => new DataView(memory.buffer);
  const bytes = (/** @type {number} */ at, /** @type {number} */ n) => new Uint8Array(memory.buffer, at >>> 0, n >>> 0);

  /**
   * @typedef {{ path?: Buffer, fd?: number, kind: number, at?: bigint, append?: boolean, names?: fs.Dirent[], write?: (b: Uint8Array) => void }} Handle
   * @type {Map<number, Handle>}
   */
  const open = new Map([
    [0, { kind: 2, fd: 0 }],
    [1, { kind: 2, write: stdout }],
    [2, { kind: 2, write: stderr }],
    [3, { kind: FOLDER, path: slash }],
  ]);
  let nextFd = 4;

  // Files that it made for itself alone and has not removed or renamed yet: locks,
  // and what is being written. Keys are bytes as latin1.
  /** @type {Set<string>} */
  const own = new Set();

  /** Runs f; an error of node:fs becomes WASI's number. */
  const guarded = (/** @type {(...a: any[]) => number} */ f) => (/** @type {any[]} */ ...a) => {
    try {
      return f(...a);
    } catch (e) {
      if (e instanceof Exit) throw e;
      const code = /** @type {NodeJS.ErrnoException} */ (e).code;
      if (code === undefined) throw e;
      return errno[/** @type {keyof errno} */ (code)] ?? IO;
    }
  };

  const path = (/** @type {number} */ fd, /** @type {number} */ at, /** @type {number} */ n) => {
    const h = open.get(fd);
    if (!h?.path) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    return native(join(h.path, Buffer.from(bytes(at, n))));
  };

  const strings = (/** @type {string[]} */ list, /** @type {number} */ table, /** @type {number} */ at) => {
    for (const s of list) {
      view().setUint32(table, at, true);
      table += 4;
      const b = Buffer.from(`${s}\0`);
      bytes(at, b.length).set(b);
      at += b.length;
    }
    return OK;
  };
  const sizes = (/** @type {string[]} */ list, /** @type {number} */ count, /** @type {number} */ size) => {
    view().setUint32(count, list.length, true);
    view().setUint32(size, list.reduce((n, s) => n + Buffer.byteLength(s) + 1, 0), true);
    return OK;
  };
  const vars = Object.entries(env).map(([k, v]) => `${k}=${v}`);

  const stat = (/** @type {fs.BigIntStats} */ s, /** @type {number} */ at) => {
    const v = view();
    v.setBigUint64(at, BigInt.asUintN(64, s.dev), true);
    v.setBigUint64(at + 8, BigInt.asUintN(64, s.ino), true);
    v.setBigUint64(at + 16, BigInt(kind(s)), true);
    v.setBigUint64(at + 24, s.nlink, true);
    v.setBigUint64(at + 32, s.size, true);
    v.setBigUint64(at + 40, s.atimeNs, true);
    v.setBigUint64(at + 48, s.mtimeNs, true);
    v.setBigUint64(at + 56, s.ctimeNs, true);
    return OK;
  };

  /** Reads or writes the buffers of an iovec, one after another. */
  const vector = (/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ done, /** @type {(b: Uint8Array) => number} */ f) => {
    let total = 0;
    for (let i = 0; i < n; i++) {
      const size = view().getUint32(at + 8 * i + 4, true);
      if (size === 0) continue;
      const moved = f(bytes(view().getUint32(at + 8 * i, true), size));
      total += moved;
      if (moved < size) break;
    }
    view().setUint32(done, total, true);
    return OK;
  };

  /** @type {Record<string, (...a: any[]) => number>} */
  const calls = {
    args_sizes_get: (count, size) => sizes(args, count, size),
    args_get: (table, at) => strings(args, table, at),
    environ_sizes_get: (count, size) => sizes(vars, count, size),
    environ_get: (table, at) => strings(vars, table, at),
    clock_time_get(id, _precision, at) {
      view().setBigUint64(at, id === 0 ? BigInt(Math.round(Date.now())) * 1_000_000n : process.hrtime.bigint(), true);
      return OK;
    },
    random_get(at, n) {
      randomFillSync(bytes(at, n));
      return OK;
    },
    sched_yield: () => OK,
    proc_exit(code) {
      throw new Exit(code);
    },
    poll_oneoff(subs, events, n, done) {
      const v = view();
      let wait = -1;
      let ready = 0;
      const event = (/** @type {number} */ sub, /** @type {number} */ tag) => {
        const e = events + 32 * ready++;
        bytes(e, 32).fill(0);
        v.setBigUint64(e, v.getBigUint64(sub, true), true);
        v.setUint8(e + 10, tag);
        if (tag !== 0) v.setBigUint64(e + 16, 1n, true);
      };
      for (let i = 0; i < n; i++) {
        const sub = subs + 48 * i;
        const tag = v.getUint8(sub + 8);
        if (tag !== 0) {
          event(sub, tag); // files are always ready
          continue;
        }
        let ns = v.getBigUint64(sub + 24, true);
        if (v.getUint16(sub + 40, true) & 1) {
          const now = v.getUint32(sub + 16, true) === 0 ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint();
          ns = ns > now ? ns - now : 0n;
        }
        const ms = Number(ns) / 1e6;
        wait = wait < 0 ? ms : Math.min(wait, ms);
      }
      if (ready === 0 && wait >= 0) {
        if (wait > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
        for (let i = 0; i < n; i++) event(subs + 48 * i, 0);
      }
      v.setUint32(done, ready, true);
      return OK;
    },

    fd_prestat_get(fd, at) {
      if (fd !== 3) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name(fd, at, n) {
      if (fd !== 3 || n < 1) return BADF;
      bytes(at, 1).set(slash);
      return OK;
    },
    fd_fdstat_get(fd, at) {
      const h = open.get(fd);
      if (!h) return BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, h.kind);
      view().setUint16(at + 2, h.append ? 1 : 0, true);
      view().setBigUint64(at + 8, 0x1fffffffn, true);
      view().setBigUint64(at + 16, 0x1fffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get(fd, at) {
      const h = open.get(fd);
      if (!h) return BADF;
      if (h.fd !== undefined) return stat(fs.fstatSync(h.fd, { bigint: true }), at);
      if (h.path) return stat(fs.statSync(h.path, { bigint: true }), at);
      bytes(at, 64).fill(0);
      view().setUint8(at + 16, h.kind);
      return OK;
    },
    fd_filestat_set_size(fd, size) {
      const h = open.get(fd);
      if (h?.fd === undefined) return BADF;
      fs.ftruncateSync(h.fd, Number(size));
      return OK;
    },
    fd_close(fd) {
      const h = open.get(fd);
      if (!h) return BADF;
      open.delete(fd);
      if (h.fd !== undefined && fd > 2) fs.closeSync(h.fd);
      return OK;
    },
    fd_sync(fd) {
      const h = open.get(fd);
      if (!h) return BADF;
      if (h.fd !== undefined) fs.fsyncSync(h.fd);
      return OK;
    },
    fd_seek(fd, offset, whence, at) {
      const h = open.get(fd);
      if (h?.fd === undefined || h.at === undefined) return h ? errno.ESPIPE : BADF;
      const from = whence === 0 ? 0n : whence === 1 ? h.at : fs.fstatSync(h.fd, { bigint: true }).size;
      if (from + offset < 0n) return INVAL;
      h.at = from + offset;
      view().setBigUint64(at, h.at, true);
      return OK;
    },
    fd_read(fd, iovs, n, done) {
      const h = open.get(fd);
      if (h?.fd === undefined) return BADF;
      const file = h.fd;
      return vector(iovs, n, done, (b) => {
        const got = fs.readSync(file, b, 0, b.length, h.at === undefined ? null : h.at);
        if (h.at !== undefined) h.at += BigInt(got);
        return got;
      });
    },
    fd_pread(fd, iovs, n, offset, done) {
      const file = open.get(fd)?.fd;
      if (file === undefined) return BADF;
      return vector(iovs, n, done, (b) => {
        const got = fs.readSync(file, b, 0, b.length, offset);
        offset += BigInt(got);
        return got;
      });
    },
    fd_write(fd, iovs, n, done) {
      const h = open.get(fd);
      if (!h) return BADF;
      return vector(iovs, n, done, (b) => {
        if (h.write) {
          h.write(b);
          return b.length;
        }
        if (h.fd === undefined) throw Object.assign(new Error('not a file'), { code: 'EBADF' });
        const put = fs.writeSync(h.fd, b, 0, b.length, h.append || h.at === undefined ? null : Number(h.at));
        if (h.at !== undefined) h.at += BigInt(put);
        return put;
      });
    },
    fd_pwrite(fd, iovs, n, offset, done) {
      const file = open.get(fd)?.fd;
      if (file === undefined) return BADF;
      return vector(iovs, n, done, (b) => {
        const put = fs.writeSync(file, b, 0, b.length, Number(offset));
        offset += BigInt(put);
        return put;
      });
    },
    fd_readdir(fd, at, size, cookie, done) {
      const h = open.get(fd);
      if (!h?.path) return h ? NOTDIR : BADF;
      if (cookie === 0n || !h.names) h.names = /** @type {any} */ (fs.readdirSync(h.path, { withFileTypes: true, encoding: /** @type {any} */ ('buffer') }));
      const list = /** @type {fs.Dirent[]} */ (h.names);
      let used = 0;
      for (let i = Number(cookie); i < list.length && used < size; i++) {
        const name = /** @type {any} */ (list[i].name);
        const entry = Buffer.alloc(24 + name.length);
        entry.writeBigUInt64LE(BigInt(i + 1), 0);
        entry.writeBigUInt64LE(BigInt(i + 1), 8); // not asked for
        entry.writeUInt32LE(name.length, 16);
        entry.writeUInt8(kind(list[i]), 20);
        entry.set(name, 24);
        const part = entry.subarray(0, size - used);
        bytes(at + used, part.length).set(part);
        used += part.length;
      }
      view().setUint32(done, used, true);
      return OK;
    },

    path_open(fd, lookup, at, n, oflags, rights, _inherit, flags, out) {
      const name = path(fd, at, n);
      const c = fs.constants;
      const writes = (rights & 64n) !== 0n;
      let how = writes ? ((rights & 2n) !== 0n ? c.O_RDWR : c.O_WRONLY) : c.O_RDONLY;
      if (oflags & 1) how |= c.O_CREAT;
      if (oflags & 4) how |= c.O_EXCL;
      if (oflags & 8) how |= c.O_TRUNC;
      if (flags & 1) how |= c.O_APPEND;
      if (!(lookup & 1)) how |= c.O_NOFOLLOW ?? 0;
      /** @type {Handle} */
      let h;
      const s = oflags & 1 ? undefined : lookup & 1 ? fs.statSync(name) : fs.lstatSync(name);
      if (s?.isDirectory()) {
        if (writes) return errno.EISDIR;
        h = { kind: FOLDER, path: name };
      } else if (oflags & 2) {
        return NOTDIR;
      } else {
        const file = fs.openSync(name, how | (c.O_NONBLOCK ?? 0), 0o666);
        if (oflags & 4) own.add(name.toString('latin1'));
        h = { kind: s ? kind(s) : FILE, fd: file, at: 0n, append: (flags & 1) !== 0 };
      }
      view().setUint32(out, nextFd, true);
      open.set(nextFd++, h);
      return OK;
    },
    path_filestat_get(fd, lookup, at, n, out) {
      const name = path(fd, at, n);
      return stat(lookup & 1 ? fs.statSync(name, { bigint: true }) : fs.lstatSync(name, { bigint: true }), out);
    },
    path_readlink(fd, at, n, out, size, done) {
      const target = fs.readlinkSync(path(fd, at, n), { encoding: 'buffer' });
      const part = target.subarray(0, size);
      bytes(out, part.length).set(part);
      view().setUint32(done, part.length, true);
      return OK;
    },
    path_create_directory(fd, at, n) {
      fs.mkdirSync(path(fd, at, n));
      return OK;
    },
    path_remove_directory(fd, at, n) {
      fs.rmdirSync(path(fd, at, n));
      return OK;
    },
    path_unlink_file(fd, at, n) {
      const name = path(fd, at, n);
      fs.unlinkSync(name);
      own.delete(name.toString('latin1'));
      return OK;
    },
    path_rename(fd, at, n, fd2, at2, n2) {
      const name = path(fd, at, n);
      fs.renameSync(name, path(fd2, at2, n2));
      own.delete(name.toString('latin1'));
      return OK;
    },
    path_symlink: () => NOSYS,
    sock_accept: () => NOSYS,
    sock_shutdown: () => NOSYS,
  };
  return {
    imports: Object.fromEntries(Object.entries(calls).map(([name, f]) => [name, guarded(f)])),
    bind: (m) => void (memory = m),
    // An instance that is given up can neither close nor remove anything.
    abandon() {
      for (const [fd, h] of open) if (h.fd !== undefined && fd > 2) fs.closeSync(h.fd);
      open.clear();
      for (const name of own) fs.rmSync(Buffer.from(name, 'latin1'), { force: true });
      own.clear();
    },
  };
}
