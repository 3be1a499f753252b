/** Runs outside of jest's module system, in plain Node: hence the built one. */
export default async function globalSetup() {
  if (process.env.NDS_TEST_WITHOUT_SERVICES !== undefined) return; // tests are only being counted
  const { startTestServices } =
    await import('../../../dist/test-programs/support/harness/shared-services.js');
  globalThis.stopTestServices = await startTestServices();
}
