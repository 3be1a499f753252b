import {
  parseLossless,
  type LosslessJson,
  stringifyLossless,
} from '../../platform/http/adapter/lossless-json.js';

export interface MappedGenesis {
  /**
   * JSON text of the specification's genesisData; null unless the bytes are the genesis of an EVM. As text, because its
   * integers may pass 2^53.
   */
  readonly genesis: string | null;
  /** `config.chainId`; null where there is none. */
  readonly evmChainId: bigint | null;
}

const NOTHING: MappedGenesis = { genesis: null, evmChainId: null };

/**
 * Reads the genesis bytes of a CreateChain transaction. Anybody may put anything there, so nothing throws: what is not JSON, or is
 * JSON of another shape, maps to nulls, and a field that cannot be read is left out.
 *
 * EVM chains are recognised by shape, not by VM id, because many L1s run subnet-evm under an id of their own. A field that is
 * missing has the value that the VM gives it (subnet-evm core/genesis.go); missing keys of `config` are left out, because there
 * a missing number means "never".
 */
export function mapGenesisData(bytes: Uint8Array): MappedGenesis {
  const root = parseJson(bytes);
  if (!isRecord(root) || !isRecord(root['config']) || !isRecord(root['alloc'])) return NOTHING;
  return {
    genesis: stringifyLossless(mapGenesis(root, root['config'], root['alloc'])),
    evmChainId: readInteger(root['config']['chainId']) ?? null,
  };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseLossless(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

type UnknownRecord = Readonly<Record<string, unknown>>;
type Read<T> = (value: unknown) => T | undefined;

const ZERO_HASH = `0x${'00'.repeat(32)}`;
const ZERO_ADDRESS = `0x${'00'.repeat(20)}`;

function mapGenesis(root: UnknownRecord, config: UnknownRecord, alloc: UnknownRecord): LosslessJson {
  const field = <T extends LosslessJson>(name: string, read: Read<T>, missing: T): T | undefined =>
    root[name] === undefined || root[name] === null ? missing : read(root[name]);
  return {
    airdropAmount: field<bigint | null>('airdropAmount', readInteger, null),
    airdropHash: field('airdropHash', readHash, ZERO_HASH),
    alloc: mapAlloc(alloc),
    baseFeePerGas: field<bigint | null>('baseFeePerGas', readInteger, null),
    blobGasUsed: field<string | null>('blobGasUsed', readHexInteger, null),
    coinbase: field('coinbase', readAddress, ZERO_ADDRESS),
    config: mapConfig(config),
    difficulty: field('difficulty', readHexInteger, '0x0'),
    excessBlobGas: field<string | null>('excessBlobGas', readHexInteger, null),
    extraData: field('extraData', readBytes, '0x'),
    gasLimit: field('gasLimit', readHexInteger, '0x0'),
    gasUsed: field('gasUsed', readHexInteger, '0x0'),
    mixHash: field('mixHash', readHash, ZERO_HASH),
    nonce: field('nonce', readHexInteger, '0x0'),
    number: field('number', readHexInteger, '0x0'),
    parentHash: field('parentHash', readHash, ZERO_HASH),
    timestamp: field('timestamp', readHexInteger, '0x0'),
  };
}

function mapAlloc(alloc: UnknownRecord): LosslessJson {
  const accounts: [string, LosslessJson][] = [];
  for (const [key, account] of Object.entries(alloc)) {
    const address = readAddress(key);
    if (address === undefined || !isRecord(account)) continue;
    accounts.push([
      address,
      {
        balance: account['balance'] === undefined ? '0x0' : readHexInteger(account['balance']),
        code: readBytes(account['code']),
        storage: mapStorage(account['storage']),
      },
    ]);
  }
  return Object.fromEntries(accounts);
}

function mapStorage(storage: unknown): LosslessJson | undefined {
  if (!isRecord(storage)) return undefined;
  const slots: [string, string][] = [];
  for (const [key, value] of Object.entries(storage)) {
    const slot = readBytes(key);
    const word = readBytes(value);
    if (slot !== undefined && word !== undefined) slots.push([slot, word]);
  }
  return Object.fromEntries(slots);
}

const FORK_BLOCKS = [
  'homesteadBlock',
  'eip150Block',
  'eip155Block',
  'eip158Block',
  'byzantiumBlock',
  'constantinopleBlock',
  'petersburgBlock',
  'istanbulBlock',
  'muirGlacierBlock',
  'berlinBlock',
  'londonBlock',
] as const;

const FEE_FIELDS = [
  'baseFeeChangeDenominator',
  'blockGasCostStep',
  'gasLimit',
  'maxBlockGasCost',
  'minBaseFee',
  'minBlockGasCost',
  'targetBlockRate',
  'targetGas',
] as const;

const ALLOW_LISTS = [
  'txAllowListConfig',
  'contractDeployerAllowListConfig',
  'contractNativeMinterConfig',
  'feeManagerConfig',
  'rewardManagerConfig',
] as const;

function mapConfig(config: UnknownRecord): LosslessJson {
  return {
    chainId: readInteger(config['chainId']),
    ...readEach(config, FORK_BLOCKS, readInteger),
    eip150Hash: readHash(config['eip150Hash']),
    subnetVmTimestamp: readInteger(config['subnetEVMTimestamp']),
    allowFeeRecipients: readBoolean(config['allowFeeRecipients']),
    feeConfig: mapRecord(config['feeConfig'], (fees) => readEach(fees, FEE_FIELDS, readInteger)),
    messagingConfig: mapRecord(config['warpConfig'], (warp) => ({
      blockTimestamp: readInteger(warp['blockTimestamp']),
      quorumNumerator: readInteger(warp['quorumNumerator']),
      requirePrimaryNetworkSigners: readBoolean(warp['requirePrimaryNetworkSigners']),
    })),
    ...readEach(config, ALLOW_LISTS, mapAllowList),
  };
}

function mapAllowList(allowList: unknown): LosslessJson | undefined {
  return mapRecord(allowList, (given) => ({
    blockTimestamp: readInteger(given['blockTimestamp']),
    adminAddresses: readAddresses(given['adminAddresses']),
    managerAddresses: readAddresses(given['managerAddresses']),
    enabledAddresses: readAddresses(given['enabledAddresses']),
  }));
}

function mapRecord(value: unknown, map: (record: UnknownRecord) => LosslessJson): LosslessJson | undefined {
  return isRecord(value) ? map(value) : undefined;
}

function readEach(
  record: UnknownRecord,
  names: readonly string[],
  read: Read<LosslessJson>,
): Record<string, LosslessJson | undefined> {
  return Object.fromEntries(names.map((name) => [name, read(record[name])]));
}

function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 256 bits, the widest number of an EVM. */
const INTEGER_TEXT = /^(0x[0-9a-f]{1,64}|\d{1,78})$/i;

/** A plain number, decimal text or 0x hex: geth reads all of them where it expects a number. */
function readInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !INTEGER_TEXT.test(value)) return undefined;
  return BigInt(value.toLowerCase());
}

function readHexInteger(value: unknown): string | undefined {
  const integer = readInteger(value);
  return integer === undefined ? undefined : `0x${integer.toString(16)}`;
}

function readBytes(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const digits = /^0x/i.test(value) ? value.slice(2) : value;
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) return undefined;
  return `0x${digits.toLowerCase()}`;
}

const readBytesOfLength =
  (length: number): Read<string> =>
  (value) => {
    const bytes = readBytes(value);
    return bytes?.length === 2 + 2 * length ? bytes : undefined;
  };

const readHash = readBytesOfLength(32);
const readAddress = readBytesOfLength(20);

function readAddresses(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(readAddress).filter((address) => address !== undefined);
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
