import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';

/** Time for a test run to end after it has written its results; what is still open then would keep it for ever. */
const EXIT_AFTER_RESULTS_MS = 60_000;
const WATCH_INTERVAL_MS = 1_000;
const KILL_AFTER_MS = 10_000;

const running = new Set();
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    if (running.size === 0) process.exit(130);
    for (const child of running) child.kill(signal);
    setTimeout(() => process.exit(130), KILL_AFTER_MS).unref();
  });
}

/**
 * Runs a command for `limitMs` at most or, where it has a `progressFile`, for as long as that grows at least once in this time. `quiet`
 * collects its output instead of showing it; `stdout` is where the standard output goes when that is neither. Answers the exit code and, in
 * words, why it is not 0.
 */
export function runCommand(
  command,
  args,
  { limitMs, quiet = false, stdout, env = process.env, resultFile, progressFile },
) {
  return new Promise((resolve, reject) => {
    const shown = quiet ? 'pipe' : 'inherit';
    const child = spawn(command, args, { stdio: ['ignore', stdout ?? shown, shown], env });
    running.add(child);
    let output = '';
    if (quiet) {
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    }

    let why;
    const end = (reason) => {
      why ??= reason;
      child.kill('SIGTERM');
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
    };
    const limit = watchForStandstill(progressFile, limitMs, () =>
      end(
        `was ended after ${limitMs / 60_000} minutes${progressFile === undefined ? '' : ' without a test'}`,
      ),
    );
    const watch = watchForHanging(resultFile, () => end('did not end by itself: a test left something open'));
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(limit);
      clearInterval(watch);
      running.delete(child);
      if (interrupted) process.exit(130);
      resolve({
        code: why === undefined ? (code ?? 1) : 1,
        output,
        why: why ?? `ended with exit code ${code}`,
      });
    });
  });
}

/** Counts its own steps: the time in which a whole machine stands still is not the command's. */
function watchForStandstill(progressFile, limitMs, onStandstill) {
  let size = 0;
  let stillMs = 0;
  return setInterval(() => {
    const found =
      progressFile === undefined ? 0 : (statSync(progressFile, { throwIfNoEntry: false })?.size ?? 0);
    stillMs = found === size ? stillMs + WATCH_INTERVAL_MS : 0;
    size = found;
    if (stillMs >= limitMs) onStandstill();
  }, WATCH_INTERVAL_MS);
}

function watchForHanging(resultFile, onHanging) {
  if (resultFile === undefined) return undefined;
  let foundAt;
  return setInterval(() => {
    if (existsSync(resultFile)) foundAt ??= Date.now();
    if (foundAt !== undefined && Date.now() - foundAt > EXIT_AFTER_RESULTS_MS) onHanging();
  }, WATCH_INTERVAL_MS);
}
