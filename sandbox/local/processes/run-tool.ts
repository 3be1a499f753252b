import { spawn } from 'node:child_process';

const OUTPUT_TAIL_CHARACTERS = 4_000;

/** Runs a tool to its end; the error carries the end of what it printed. */
export function runTool(options: {
  command: string;
  args: readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
}): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let output = '';
    let tail = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_TAIL_CHARACTERS);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-OUTPUT_TAIL_CHARACTERS);
    });
    const endWithParent = (): boolean => child.kill();
    process.once('exit', endWithParent);
    child.once('error', reject);
    child.once('close', (code) => {
      process.removeListener('exit', endWithParent);
      if (code === 0) {
        resolve(output.trim());
      } else {
        reject(
          new Error(
            `${options.command} ${options.args.join(' ')} ended with ${String(code)}:\n${tail.trim()}`,
          ),
        );
      }
    });
  });
}
