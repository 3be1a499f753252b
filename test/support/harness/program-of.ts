/** Where a program is built: `test/X.ts` by bundle-programs.mjs; any other is its own name. */
export function programOf(entry: string): string {
  return entry.replace(/^test\/(.*)\.ts$/, 'dist/test-programs/$1.js');
}
