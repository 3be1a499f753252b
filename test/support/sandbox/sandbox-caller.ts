import { z } from 'zod';
import type { Sandbox } from '../../../sandbox/sandbox.js';

/** Well-formed, and of nothing that a sandbox has. */
export const UNKNOWN_ID = '2ebCneCbwthjQ1rYT41nhd7M76Hc6YmosMAQrTFhBq8qeqh6tt';

const TIMEOUT_MS = 5_000;

const AnswerSchema = z.object({
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), message: z.string() }).optional(),
});

const ContainerSchema = z.object({
  id: z.string(),
  bytes: z.string(),
  timestamp: z.iso.datetime(),
  encoding: z.literal('hex'),
  index: z.string(),
});

/** Sends to a sandbox what clients would not send, and hands back what they would not let through. */
export class SandboxCaller {
  constructor(private readonly sandbox: Sandbox) {}

  async post(path: string, body: string, contentType = 'application/json') {
    const response = await fetch(`${this.sandbox.url}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': contentType },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  /** The whole body of the answer. */
  async call(path: string, method: string, params: unknown = {}): Promise<unknown> {
    const { text } = await this.post(path, requestBody(method, params));
    return JSON.parse(text);
  }

  async ask(path: string, method: string, params: object = {}) {
    return AnswerSchema.parse(await this.call(path, method, params));
  }

  askPlatform(method: string, params?: object) {
    return this.ask('/ext/bc/P', `platform.${method}`, params);
  }

  askIndex(method: string, params?: object) {
    return this.ask('/ext/index/P/block', `index.${method}`, params);
  }

  /** All blocks of the P-chain but the genesis, as its index API has them. */
  async allContainers() {
    const { result } = await this.askIndex('getContainerRange', { startIndex: 0, numToFetch: 1024 });
    return z.object({ containers: z.array(ContainerSchema) }).parse(result).containers;
  }
}

export function requestBody(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** Part of an answer that refuses. */
export function fault(message: string) {
  return { error: { code: -32000, message } };
}
