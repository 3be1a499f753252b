import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';

/** Makes `dist`, the package's content: one file for each entry point, with the project's own code in it, and the types. */

const source = join(import.meta.dirname, 'src');
const dist = join(import.meta.dirname, 'dist');

/** The service's implementation of BLS is native; the one in JavaScript takes its place. */
const blsWithoutNativeCode = {
  name: 'bls-without-native-code',
  setup({ onLoad }) {
    onLoad({ filter: /\/bls\/blst\.ts$/ }, () => ({
      contents: "export { noble as blst } from './noble.js';",
    }));
  },
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
await build({
  entryPoints: ['index.ts', 'verify.ts'].map((file) => join(source, file)),
  outdir: dist,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['@noble/*', 'zod'],
  plugins: [blsWithoutNativeCode],
  logLevel: 'warning',
});
for (const file of readdirSync(source).filter((name) => /(?<!\.spec)\.ts$/.test(name))) {
  const { outputText, diagnostics } = ts.transpileDeclaration(readFileSync(join(source, file), 'utf8'), {
    fileName: file,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, strict: true },
  });
  for (const { messageText } of diagnostics ?? []) {
    throw new Error(`${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  }
  writeFileSync(join(dist, file.replace(/\.ts$/, '.d.ts')), outputText);
}
