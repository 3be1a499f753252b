/** What the local network of real nodes shares with the embedded default: finding, building and running binaries. */
export { cacheFolder } from './cache-folder.js';
export { ManagedChild, type ChildExit } from './child-process.js';
export { findProgram, isExecutable, programFile } from './find-program.js';
export { poll } from './poll.js';
export { choosePort, freePort, releasePort } from './ports.js';
export { AlreadyRunningError, ProcessRegistry } from './process-registry.js';
export { silent, withProgress, type Progress } from './progress.js';
export { projectFolder } from './project-folder.js';
export { runTool } from './run-tool.js';
