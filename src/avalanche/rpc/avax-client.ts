import { JsonRpcClient, type JsonRpcClientOptions } from './json-rpc-client.js';
import {
  allUtxoPages,
  type UtxoPage,
  UtxoPageSchema,
  type UtxoQuery,
  UTXOS_PER_PAGE,
  utxoParams,
} from './utxo-pages.js';

/** Behind the address of the C-chain, e.g. `https://host/ext/bc/C`. */
const PATH = '/avax';
const EVM_PATH = /\/rpc\/?$/;

/** UTXOs that were exported to the C-chain and can still be imported. */
export interface ImportableQuery extends UtxoQuery {
  /** Alias or id of the chain the outputs were exported from. */
  readonly sourceChain: string;
}

/** `avax.*` of the C-chain, avalanchego v1.15.0 (vms/saevm/cchain/api.go). Rejects with RpcError. */
export class AvaxClient {
  /** `rpc`: of addresses as `baseUrlOf` gives them. */
  constructor(private readonly rpc: JsonRpcClient) {}

  /** To the node whose EVM methods have this address; undefined where `baseUrlOf` finds none. */
  static connect(evmUrl: string, options: Omit<JsonRpcClientOptions, 'urls'>): AvaxClient | undefined {
    const url = AvaxClient.baseUrlOf(evmUrl);
    return url === undefined ? undefined : new AvaxClient(new JsonRpcClient({ ...options, urls: [url] }));
  }

  /** From the address of a node's EVM methods, e.g. `https://host/ext/bc/C/rpc`; undefined for one of another form. */
  static baseUrlOf(evmUrl: string): string | undefined {
    const url = new URL(evmUrl);
    if (!EVM_PATH.test(url.pathname)) return undefined;
    url.pathname = url.pathname.replace(EVM_PATH, '');
    return url.href;
  }

  /** Closes idle connections; running calls fail. */
  close(): void {
    this.rpc.close();
  }

  /** One page of what any of the addresses (at most 1,024, as bech32 or cb58) may import. */
  async getUtxos(query: ImportableQuery): Promise<UtxoPage> {
    return this.rpc.call({
      path: PATH,
      method: 'avax.getUTXOs',
      params: utxoParams(query),
      schema: UtxoPageSchema,
      signal: query.signal,
    });
  }

  /**
   * All that any of the addresses may import. Nodes walk through the addresses in an order that differs from call to call, so
   * that pages of several addresses do not fit together: where one page is not enough, each half of them is asked for.
   */
  async getAllUtxos({
    addresses,
    ...query
  }: Omit<ImportableQuery, 'limit' | 'startIndex'>): Promise<Uint8Array[]> {
    if (addresses.length <= 1) {
      return allUtxoPages((startIndex) =>
        this.getUtxos({ ...query, addresses, limit: UTXOS_PER_PAGE, startIndex }),
      );
    }
    const { utxos } = await this.getUtxos({ ...query, addresses, limit: UTXOS_PER_PAGE });
    if (utxos.length < UTXOS_PER_PAGE) return utxos;
    const middle = addresses.length >> 1;
    return [
      ...(await this.getAllUtxos({ ...query, addresses: addresses.slice(0, middle) })),
      ...(await this.getAllUtxos({ ...query, addresses: addresses.slice(middle) })),
    ];
  }
}
