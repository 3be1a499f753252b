import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Bundles programs, for instance `dist/src/main.js` into `dist/bundled/src/main.js`: Node takes more than a second of processor time to find,
 * compile and link their 3,000 modules, at each start of each process.
 */

const project = fileURLToPath(new URL('../..', import.meta.url));

const PROGRAMS = [
  'src/main',
  'src/worker',
  'src/keys',
  'src/supply',
  'src/verify-export',
  'src/platform/database/migrate',
  'sandbox/main',
  'sandbox/local/main',
];

/** Packages of many modules. Others stay in node_modules: some have native code, or look for files of their own. */
const BUNDLED = /^(@nestjs|es-toolkit|rxjs|typeorm|viem|ox|abitype|@noble|@scure|zod|@bufbuild)(\/|$)/;

/** Optional ones are imported dynamically, and most of them are not installed. */
const packages = {
  name: 'packages',
  setup({ onResolve, onLoad }) {
    // It looks for classes that TypeORM no longer has in a second copy of it, outside of the bundle.
    onLoad({ filter: /@nestjs\/typeorm\/dist\/common\/typeorm-compat\.js$/ }, () => ({
      contents: 'export const Connection = undefined;\nexport const AbstractRepository = undefined;',
    }));
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      BUNDLED.test(path) && kind !== 'dynamic-import' ? undefined : { path, external: true },
    );
  },
};

/** CommonJS packages expect it. */
const REQUIRE = `import { createRequire as bundledRequire } from 'node:module';
const require = bundledRequire(import.meta.url);`;

/** Files by the names, without `.js`, that they get in the folder. */
export async function bundle(programs, { folder, plugins = [] }) {
  const made = `${folder}.new`; // whoever starts one meanwhile finds the former
  rmSync(made, { recursive: true, force: true });
  await build({
    entryPoints: programs,
    outdir: made,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    keepNames: true, // logs and errors name their class
    sourcemap: true,
    sourcesContent: false,
    banner: { js: REQUIRE },
    plugins: [...plugins, packages],
    logLevel: 'warning',
  });
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = join(project, 'dist/bundled');
  await bundle(Object.fromEntries(PROGRAMS.map((name) => [name, join(project, `dist/${name}.js`)])), {
    folder,
  });
}
