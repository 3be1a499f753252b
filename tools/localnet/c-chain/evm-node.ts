import { z, type ZodType } from 'zod';

const REQUEST_TIMEOUT_MS = 20_000;

const ErrorSchema = z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() });
const AnswerSchema = z.union([z.object({ error: ErrorSchema }), z.object({ result: z.unknown() })]);

/** Answers of a node, refusals included: a recording keeps both as they were. */
export type EvmAnswer = z.infer<typeof AnswerSchema>;

/** An EVM chain's JSON-RPC, by default the C-chain's, of one node that is known to be honest. */
export class EvmNode {
  readonly endpoint: string;

  constructor(nodeUrl: string, chain = 'C') {
    this.endpoint = `${nodeUrl}/ext/bc/${chain}/rpc`;
  }

  async ask(method: string, params: readonly unknown[] = []): Promise<EvmAnswer> {
    const response = await fetch(this.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return AnswerSchema.parse(await response.json());
  }

  /** Throws Error when the node refuses. */
  async call<T>(method: string, params: readonly unknown[], schema: ZodType<T>): Promise<T> {
    const answer = await this.ask(method, params);
    if ('error' in answer) throw new Error(`${method}: ${answer.error.message}`);
    return schema.parse(answer.result);
  }

  async blockNumber(): Promise<number> {
    return Number(await this.call('eth_blockNumber', [], z.string()));
  }
}
