import type { ApiPropertyOptions } from '@nestjs/swagger';

const integer = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;
const hex = (description: string) => ({ type: 'string', pattern: '^0x[0-9a-f]*$', description }) as const;
const nullable = <Schema extends object>(schema: Schema) => ({ ...schema, nullable: true }) as const;
const addresses = (description: string) =>
  ({ type: 'array', items: hex('An address.'), description }) as const;

const each = <Schema>(names: readonly string[], schema: Schema): Record<string, Schema> =>
  Object.fromEntries(names.map((name) => [name, schema]));

const FORKS = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'muirGlacier',
  'berlin',
  'london',
];
const ALLOW_LISTS = [
  'txAllowList',
  'contractDeployerAllowList',
  'contractNativeMinter',
  'feeManager',
  'rewardManager',
];

const CONFIG = {
  type: 'object',
  description: 'Rules of the chain; a rule that is absent never takes effect.',
  properties: {
    chainId: integer('EVM chain id.'),
    ...each(
      FORKS.map((fork) => `${fork}Block`),
      integer('Block from which these Ethereum rules apply.'),
    ),
    eip150Hash: hex('Hash of the EIP-150 block.'),
    subnetVmTimestamp: integer('When the rules of subnet-evm take effect. UNIX seconds.'),
    allowFeeRecipients: {
      type: 'boolean',
      description: 'Whether block producers choose the recipient of the fees.',
    },
    feeConfig: {
      type: 'object',
      description: 'How fees follow demand.',
      properties: {
        baseFeeChangeDenominator: integer('The larger, the slower the base fee changes.'),
        blockGasCostStep: integer('How much the block gas cost changes with each block.'),
        gasLimit: integer('Gas limit of a block.'),
        maxBlockGasCost: integer('Upper bound of the block gas cost. Gas.'),
        minBaseFee: integer("Lower bound of the base fee. The native asset's smallest unit."),
        minBlockGasCost: integer('Lower bound of the block gas cost. Gas.'),
        targetBlockRate: integer('Target number of seconds between blocks.'),
        targetGas: integer('Target amount of gas in ten seconds.'),
      },
    },
    messagingConfig: {
      type: 'object',
      description: 'Rules for Warp messages.',
      properties: {
        blockTimestamp: integer('When these rules take effect. UNIX seconds.'),
        quorumNumerator: integer('Percentage of the weight that must sign; 0 means 67.'),
        requirePrimaryNetworkSigners: {
          type: 'boolean',
          description: 'Whether messages from the primary network must be signed by its validators.',
        },
      },
    },
    ...each(
      ALLOW_LISTS.map((name) => `${name}Config`),
      {
        type: 'object',
        description: 'A precompile with restricted access.',
        properties: {
          blockTimestamp: integer('When it takes effect. UNIX seconds.'),
          adminAddresses: addresses('Addresses that may change all roles.'),
          managerAddresses: addresses('Addresses that may enable others.'),
          enabledAddresses: addresses('Addresses that may use it.'),
        },
      },
    ),
  },
} as const;

/** Of EVM chains: their genesis, as the specification names its parts. What cannot be read is left out. */
export const GENESIS_DATA = {
  type: 'object',
  required: ['alloc', 'config'],
  description:
    'EVM chains only: the genesis that the chain was created with. Keys that cannot be read are omitted.',
  properties: {
    airdropAmount: nullable(integer("Amount of each airdrop. The native asset's smallest unit.")),
    airdropHash: hex('Hash of the airdrop file.'),
    alloc: {
      type: 'object',
      description: 'Genesis accounts by address.',
      additionalProperties: {
        type: 'object',
        properties: {
          balance: hex("Balance in the native asset's smallest unit."),
          code: hex('Code of a contract.'),
          storage: {
            type: 'object',
            description: 'Storage of a contract by slot.',
            additionalProperties: hex('A storage word.'),
          },
        },
      },
      example: { '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc': { balance: '0x295be96e64066972000000' } },
    },
    baseFeePerGas: nullable(integer("Base fee of the first block. The native asset's smallest unit.")),
    blobGasUsed: nullable(hex('Blob gas used by the first block.')),
    coinbase: hex('Recipient of the fees of the first block.'),
    config: CONFIG,
    difficulty: hex('Has no meaning on Avalanche.'),
    excessBlobGas: nullable(hex('Excess blob gas of the first block.')),
    extraData: hex('Extra data of the first block.'),
    gasLimit: hex('Gas limit of the first block.'),
    gasUsed: hex('Gas used by the first block.'),
    mixHash: hex('Has no meaning on Avalanche.'),
    nonce: hex('Has no meaning on Avalanche.'),
    number: hex('Height of the first block.'),
    parentHash: hex('Parent hash of the first block.'),
    timestamp: hex('Time of the first block. UNIX seconds.'),
  },
} satisfies ApiPropertyOptions;

/** Of other chains. */
export const GENESIS_BYTES = {
  type: 'object',
  required: ['encoding', 'data'],
  description: 'The genesis as bytes.',
  properties: {
    encoding: { type: 'string', enum: ['hex'], description: 'Always hex.' },
    data: hex('The bytes.'),
  },
} satisfies ApiPropertyOptions;
