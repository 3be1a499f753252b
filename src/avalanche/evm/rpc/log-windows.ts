import { isTooLarge, isTooSlow } from '../../rpc/refusals.js';
import { RpcError } from '../../rpc/rpc.error.js';
import type { EvmClient } from './evm-client.js';

/** Public nodes take about as many. */
const FIRST_SPAN = 2_048n;
const MAX_SPAN = 2n ** 17n;
/** Of a window: each log is looked at by itself. */
const TARGET_LOGS = 2_000;
const TARGET_MS = 3_000;
/** That are searched before a span is tried again that was too much. */
const WINDOWS_IN_BETWEEN = 32;

/** Heights, both included. */
interface Window {
  readonly from: bigint;
  readonly to: bigint;
}

interface Width {
  readonly span: bigint;
  /** Windows that are searched before it grows. */
  readonly patience: number;
}

/** How many blocks one search for logs may span: found out for each client, and remembered as long as it lives. */
export class LogWindows {
  private readonly widths = new WeakMap<EvmClient, Width>();

  /** Chooses a window by the span that the client bears, and searches narrower ones while it is too much. Throws what `search` throws. */
  async read<Found extends { readonly count: number }>(
    client: EvmClient,
    choose: (span: bigint) => Window,
    search: (window: Window) => Promise<Found>,
  ): Promise<Window & { readonly found: Found }> {
    for (;;) {
      const window = choose(this.widthOf(client).span);
      const span = window.to - window.from + 1n;
      const startedAt = performance.now();
      try {
        const found = await search(window);
        this.adapt(client, span, found.count, performance.now() - startedAt);
        return { ...window, found };
      } catch (error) {
        if (!isTooMuch(error) || span === 1n) throw error;
        this.widths.set(client, { span: span / 2n, patience: WINDOWS_IN_BETWEEN });
      }
    }
  }

  private widthOf(client: EvmClient): Width {
    return this.widths.get(client) ?? { span: FIRST_SPAN, patience: 0 };
  }

  /** A window that was narrow only because nothing was left is no measure. */
  private adapt(client: EvmClient, span: bigint, logs: number, tookMs: number): void {
    const { span: current, patience } = this.widthOf(client);
    if (logs > TARGET_LOGS || tookMs > TARGET_MS) {
      this.widths.set(client, { span: span > 2n ? span / 2n : 1n, patience });
    } else if (patience > 0) {
      this.widths.set(client, { span: current, patience: patience - 1 });
    } else if (span === current && logs < TARGET_LOGS / 2 && tookMs < TARGET_MS / 2) {
      this.widths.set(client, { span: current * 2n < MAX_SPAN ? current * 2n : MAX_SPAN, patience });
    }
  }
}

/** A narrower window may do. */
function isTooMuch(error: unknown): boolean {
  return error instanceof RpcError && (isTooLarge(error) || isTooSlow(error));
}
