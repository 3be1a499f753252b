import { join } from 'node:path';
import { projectFolder } from '../config/project-folder.js';

/** Where `npm run build` puts the workflow code. */
export const WORKFLOW_BUNDLE_PATH = join(projectFolder(), 'dist/workflow-bundle.js');
