import { register } from 'node:module';

/** Runs outside of jest's module system, in plain Node: hence the hooks for TypeScript. */
export default async function globalSetup() {
  if (process.env.NDS_TEST_WITHOUT_SERVICES !== undefined) return; // tests are only being counted
  register('./typescript-loader.mjs', import.meta.url);
  const { startTestServices } = await import('./shared-services.ts');
  globalThis.stopTestServices = await startTestServices();
}
