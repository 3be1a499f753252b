export * from './bls.error.js';
export * from './bls.interface.js';
export { blst } from './blst.js';
export { noble } from './noble.js';
/** What the service computes with; `noble` is the reference that tests and final checks compare it to. */
export { blst as bls } from './blst.js';
