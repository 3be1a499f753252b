import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { z } from 'zod';
import type * as Main from '../../../clients/typescript/src/index.js';
import type * as Verify from '../../../clients/typescript/src/verify.js';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { createTestFolder } from '../harness/services.js';

const run = promisify(execFile);

const CLIENT = join(projectFolder(), 'clients/typescript');
/** From the project's own modules: nothing is downloaded. */
const PEERS = ['@noble/curves', '@noble/hashes', 'zod'];

const PackedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

export interface PackedClient {
  /** In which a program finds the client by its name. */
  readonly folder: string;
  readonly installed: string;
  /** Of the package. */
  readonly files: readonly string[];
  readonly main: typeof Main;
  readonly verify: typeof Verify;
}

/** The client as it would be published, installed into an empty folder. */
export async function installPackedClient(): Promise<PackedClient> {
  const folder = createTestFolder('client');
  const { stdout } = await run('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: CLIENT,
  });
  const [{ filename, files }] = PackedSchema.parse(JSON.parse(stdout));
  const program = join(folder, 'program');
  mkdirSync(program);
  writeFileSync(join(program, 'package.json'), '{"type":"module"}');
  const peers = PEERS.map((name) => join(projectFolder(), 'node_modules', name));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename), ...peers], {
    cwd: program,
  });
  const installed = join(program, 'node_modules/network-data-service-client');
  return {
    folder: program,
    installed,
    files: files.map(({ path }) => path).sort(),
    main: (await import(join(installed, 'dist/index.js'))) as typeof Main,
    verify: (await import(join(installed, 'dist/verify.js'))) as typeof Verify,
  };
}

/** A program of the client's `examples`, copied into the folder. */
export function copyExample({ folder }: PackedClient, name: string): void {
  copyFileSync(join(CLIENT, 'examples', name), join(folder, name));
}

/** That of the client's README. */
export function copyReadmeExample({ folder, installed }: PackedClient, name: string): void {
  const [, code = ''] = /```ts\n(.*?)```/s.exec(readFileSync(join(installed, 'README.md'), 'utf8')) ?? [];
  writeFileSync(join(folder, name), code);
}

/** The compiler's findings about programs, in JavaScript as well, by the types of the installed client. */
export function checkPrograms({ folder }: PackedClient, names: readonly string[]): readonly string[] {
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      lib: ['lib.es2023.d.ts'],
      types: ['node'],
      typeRoots: [join(projectFolder(), 'node_modules/@types')],
      allowJs: true,
      checkJs: true,
      strict: true,
      noEmit: true,
    },
  );
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
    const line = file === undefined ? '' : file.getLineAndCharacterOfPosition(start).line + 1;
    return `${file?.fileName ?? ''}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

/** Runs one of them; what it prints. */
export async function runProgram(
  { folder }: PackedClient,
  name: string,
  args: readonly string[],
): Promise<string> {
  const { stdout } = await run(process.execPath, [name, ...args], { cwd: folder });
  return stdout;
}
