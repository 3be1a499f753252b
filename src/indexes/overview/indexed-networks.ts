import { Injectable } from '@nestjs/common';
import { fromHex } from '../../avalanche/ids/hex.js';
import { idFromString, idToString } from '../../avalanche/ids/id.js';
import { type IdHex, idToHex } from '../../avalanche/ids/text.js';
import { PRIMARY_NETWORK } from '../../avalanche/platformvm/ids.js';
import { AVM_ID, EVM_ID } from '../../avalanche/platformvm/vm-ids.js';
import { Config, hrpOf, type NetworkName } from '../../platform/config/config.module.js';
import {
  P_CHAIN,
  PRIMARY_CHAIN_NAMES,
  PRIMARY_CHAINS,
  type PrimaryChain,
} from '../../platform/database/chains.js';
import { Database } from '../../platform/database/database.js';

/** Columns that the rows of a network have in common. Ids are hex. */
export interface IndexedNetwork {
  /** Whether its P-chain index has begun. Until then, this is the public network of that name; a local one has other ids. */
  readonly isIndexed: boolean;
  /** 1 and 5, that of the local or sandbox network behind the name, or that of NETWORKS_FILE. */
  readonly networkId: number;
  readonly hrp: string;
  readonly avaxAssetId: string | undefined;
  readonly xChainId: string | undefined;
  readonly cChainId: string | undefined;
}

type KnownIds = Record<'avaxAssetId' | 'xChainId' | 'cChainId', IdHex>;

const hex = (cb58: string): IdHex => idToHex(idFromString(cb58));

/** Fixed by the genesis of each network (avalanchego v1.14.2 genesis/). */
const KNOWN_IDS: ReadonlyMap<number, KnownIds> = new Map([
  [
    1,
    {
      avaxAssetId: hex('FvwEAhmxKfeiG8SnEvq42hc6whRyY3EFYAvebMqDNDGCgxN5Z'),
      xChainId: hex('2oYMBNV4eNHyqk2fjjV5nVQLDbtmNJzq5s3qs3Lo6ftnC6FByM'),
      cChainId: hex('2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'),
    },
  ],
  [
    5,
    {
      avaxAssetId: hex('U8iRqJoiJm8xZHAacmvYyZVwqQx6uDNtQeP3CQ6fcgQk3JqnK'),
      xChainId: hex('2JVSBoinj9C2J33VntvzYtVJNZdN2NKiwwKjcumHUWEb5DbBrm'),
      cChainId: hex('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'),
    },
  ],
]);

/** Names by which callers may refer to the chains of the primary network, and the id (cb58) that each has on this network. */
export function primaryChains({ xChainId, cChainId }: IndexedNetwork): ReadonlyMap<string, PrimaryChain> {
  const ids: Record<PrimaryChain, string | undefined> = { P: PRIMARY_NETWORK, X: xChainId, C: cChainId };
  const called = new Map<string, PrimaryChain>();
  for (const chain of PRIMARY_CHAINS) {
    const id = ids[chain];
    called.set(PRIMARY_CHAIN_NAMES[chain], chain);
    if (id !== undefined) called.set(idToString(fromHex(id)), chain);
  }
  return called;
}

/** A network's index may begin, or be thrown away and begin again, while the API runs. */
const REREAD_AFTER_MS = 5_000;

type Row = Record<'networkId' | keyof KnownIds, string | null>;

/** Ids that the index has recorded of itself or, before it has begun, those of the network's name. */
@Injectable()
export class IndexedNetworks {
  private readonly known = new Map<NetworkName, { network: Promise<IndexedNetwork>; readAtMs: number }>();

  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  get(name: NetworkName): Promise<IndexedNetwork> {
    const known = this.known.get(name);
    if (known !== undefined && performance.now() - known.readAtMs < REREAD_AFTER_MS) return known.network;
    const network = this.read(name);
    this.known.set(name, { network, readAtMs: performance.now() });
    network.catch(() => this.known.delete(name));
    return network;
  }

  private async read(name: NetworkName): Promise<IndexedNetwork> {
    const [row] = await this.database.query<Row>({
      text: `SELECT (SELECT state ->> 'networkId' FROM index_checkpoints WHERE network = $1 AND chain = $5) AS "networkId",
              (SELECT state ->> 'avaxAssetId' FROM index_checkpoints WHERE network = $1 AND chain = $5) AS "avaxAssetId",
              (SELECT encode(blockchain_id, 'hex') FROM blockchains WHERE network = $1 AND subnet_id = $2 AND vm_id = $3 LIMIT 1) AS "xChainId",
              (SELECT encode(blockchain_id, 'hex') FROM blockchains WHERE network = $1 AND subnet_id = $2 AND vm_id = $4 LIMIT 1) AS "cChainId"`,
      values: [name, Buffer.alloc(32), Buffer.from(AVM_ID, 'hex'), Buffer.from(EVM_ID, 'hex'), P_CHAIN],
    });
    const config = this.config.network(name);
    const networkId = Number(row?.networkId ?? config.networkId);
    const fixed = config.own?.ids ?? KNOWN_IDS.get(networkId);
    return {
      isIndexed: row?.networkId != null,
      networkId,
      hrp: hrpOf(config, networkId),
      avaxAssetId: row?.avaxAssetId ?? fixed?.avaxAssetId,
      xChainId: row?.xChainId ?? fixed?.xChainId,
      cChainId: row?.cChainId ?? fixed?.cChainId,
    };
  }
}
