import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MIB = 1024 * 1024;
const BALLAST = 'ballast';
const ALL_MAY_ENTER = 0o755;

/**
 * A folder with a disk of its own (tmpfs), so that it can be full without anybody else noticing. Only root may mount one: for
 * others it is a folder like any other, which is never full.
 */
export class SmallDisk {
  private constructor(
    readonly folder: string,
    readonly isSmall: boolean,
  ) {}

  static create(folder: string, sizeMib: number): SmallDisk {
    mkdirSync(folder, { mode: ALL_MAY_ENTER });
    if (process.platform !== 'linux' || process.getuid?.() !== 0) return new SmallDisk(folder, false);
    try {
      const options = `size=${sizeMib}m,mode=${ALL_MAY_ENTER.toString(8)}`;
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' });
      return new SmallDisk(folder, true);
    } catch {
      return new SmallDisk(folder, false); // a container without the right to mount
    }
  }

  /** Until not a byte more goes in. */
  fill(): void {
    const file = openSync(join(this.folder, BALLAST), 'a');
    try {
      for (let size = MIB; size >= 1;) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch {
          size = Math.floor(size / 2);
        }
      }
    } finally {
      closeSync(file);
    }
  }

  empty(): void {
    rmSync(join(this.folder, BALLAST), { force: true });
  }

  remove(): void {
    if (this.isSmall) unmount(this.folder);
  }
}

/** Those that a killed run has left in its folder. */
export function unmountAllIn(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).dev !== statSync(dirname(path)).dev) unmount(path);
  }
}

/** Lazily: whoever still has a file open keeps it until he ends. */
function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}
