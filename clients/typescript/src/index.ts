export type { Change } from './changes.js';
export { Client, createClient } from './client.js';
export type { AnswerOf, ExportOptions, ItemOf, ListPath, ParametersOf, WaitOptions } from './client.js';
export * from './errors.js';
export { ExportFailedError, type FinishedExport } from './exports.js';
export type { ClientOptions, RequestOptions } from './http.js';
export type * from './schema.js';
export {
  type MessageDelivered,
  type OperationFinished,
  readWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookRequest,
} from './webhooks.js';
