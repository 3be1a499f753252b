export * from './bls.error.js';
export * from './bls.interface.js';
export { blst as bls } from './blst.js';
