import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const PIECE_BYTES = 64 * 1024 * 1024;
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

  /** Until not a byte more goes in; meanwhile, what this process carries between the others goes on. */
  async fill(): Promise<void> {
    const file = await open(join(this.folder, BALLAST), 'a');
    const ballast = Buffer.alloc(PIECE_BYTES);
    try {
      for (let size = PIECE_BYTES; size >= 1;) {
        const isIn = await file.write(ballast, 0, size).then(
          () => true,
          () => false,
        );
        if (!isIn) size = Math.floor(size / 2);
      }
    } finally {
      await file.close();
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
