import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { join } from 'node:path';
import { findProgram } from '../../../sandbox/local/processes/find-program.js';
import { runTool } from '../../../sandbox/local/processes/run-tool.js';
import { ensureCachedPackage } from './cached-package.js';
import { onCleanup } from './cleanup.js';
import { PATIENCE_MS } from './eventually.js';

/**
 * An npm package that ships a headless Chromium for Linux on x64 with the libraries that a small machine lacks. It is large, and
 * nobody but these tests needs it, so it is installed when they run for the first time, beside the other binaries.
 */
const PACKAGE = '@sparticuz/chromium';
const VERSION = '147.0.0';

/** Where the package is of no use. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

/** A headless Chromium, closed afterwards. */
export async function openBrowser(): Promise<Browser> {
  const { executable, libraries } = await ensureChromium();
  const browser = await chromium.launch({
    executablePath: executable,
    // Its own sandbox needs rights that containers do not give, and what it shows comes from this very test.
    args: ['--no-sandbox', '--disable-gpu'],
    env: withLibraries(libraries),
    timeout: PATIENCE_MS,
  });
  onCleanup(() => browser.close());
  return browser;
}

/** Closed after the test: an open one would go on asking and drawing. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(PATIENCE_MS);
  onCleanup(() => page.close());
  return page;
}

interface Chromium {
  readonly executable: string;
  readonly libraries?: string;
}

async function ensureChromium(): Promise<Chromium> {
  if (process.platform === 'linux' && process.arch === 'x64') return ensurePackage();
  const [executable] = PROGRAMS.flatMap((name) => findProgram(name) ?? []);
  if (executable !== undefined) return { executable };
  throw new Error(`no browser: install Chromium so that one of ${PROGRAMS.join(', ')} is on the PATH`);
}

async function ensurePackage(): Promise<Chromium> {
  const folder = await ensureCachedPackage({
    folder: `chromium-${VERSION}`,
    package: `${PACKAGE}@${VERSION}`,
    unpack: async (installed, target) => {
      const code = `await (await import('${PACKAGE}')).default.executablePath()`;
      await runTool({
        command: process.execPath,
        args: ['--input-type=module', '--eval', code],
        cwd: installed,
        // It unpacks where temporary files are, and the libraries too where it takes this for its usual machine.
        env: { ...process.env, TMPDIR: target, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' },
      });
    },
  });
  return { executable: join(folder, 'chromium'), libraries: join(folder, 'al2023', 'lib') };
}

/** The package's own libraries, so that the browser is the same on every machine. */
function withLibraries(libraries: string | undefined): Record<string, string> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return {
    ...Object.fromEntries(inherited),
    ...(libraries === undefined ? {} : { LD_LIBRARY_PATH: libraries }),
  };
}
