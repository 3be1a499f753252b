import { fileURLToPath } from 'node:url';

/** Where `npm run build` puts the workflow code: `dist/workflow-bundle.js`, four folders up from the compiled file. */
export const WORKFLOW_BUNDLE_PATH = fileURLToPath(new URL('../../../workflow-bundle.js', import.meta.url));
