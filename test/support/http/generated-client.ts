import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import ts from 'typescript';
import { projectFolder } from '../../../src/platform/config/project-folder.js';
import { onCleanup } from '../harness/cleanup.js';

/** Where generated code finds the packages that it imports; in node_modules itself the compiler would not translate it. */
function createCodeFolder(): string {
  const dist = join(projectFolder(), 'dist');
  mkdirSync(dist, { recursive: true });
  const folder = mkdtempSync(join(dist, 'client-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return folder;
}

/** Generates a client of the document, one function for each operation, and a program that uses it. */
export async function writeClient(document: object, program: string): Promise<string> {
  const folder = createCodeFolder();
  const input = join(folder, 'openapi.json');
  writeFileSync(input, JSON.stringify(document));
  await createClient({
    input,
    output: { path: join(folder, 'client'), module: { extension: '.js' } },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent', file: false },
  });
  writeFileSync(join(folder, 'program.ts'), program);
  return folder;
}

/** Compiles the folder's program; what the compiler has to say against it. */
export function compileProgram(folder: string): readonly string[] {
  const program = ts.createProgram([join(folder, 'program.ts')], {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rootDir: folder,
    outDir: join(folder, 'out'),
  });
  const problems = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
  writeFileSync(join(folder, 'out/package.json'), '{"type":"module"}');
  return problems.map(
    ({ messageText, file }) =>
      `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

/** Runs the compiled program with an argument; the JSON that it prints. */
export async function runProgram(folder: string, argument: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'out/program.js'), argument]);
  return JSON.parse(stdout);
}
