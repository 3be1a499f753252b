export const EMPTY_WORKFLOW_QUEUE = 'empty-workflow';
