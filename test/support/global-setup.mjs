import { register } from 'node:module';

/** Runs outside of jest's module system, in plain Node: hence the hooks for TypeScript. */
export default async function globalSetup() {
  register('./typescript-loader.mjs', import.meta.url);
  const { startTestServices } = await import('./shared-services.ts');
  globalThis.stopTestServices = await startTestServices();
}
