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
  description: 'Rules of the chain; a rule that is not there never begins.',
  properties: {
    chainId: integer('EVM chain id.'),
    ...each(
      FORKS.map((fork) => `${fork}Block`),
      integer('Block from which on these rules of Ethereum hold.'),
    ),
    eip150Hash: hex('Hash of the block of EIP-150.'),
    subnetVmTimestamp: integer('When the rules of subnet-evm begin. UNIX seconds.'),
    allowFeeRecipients: { type: 'boolean', description: 'Whether block producers name who gets the fees.' },
    feeConfig: {
      type: 'object',
      description: 'How fees follow demand.',
      properties: {
        baseFeeChangeDenominator: integer('The larger, the slower the base fee changes.'),
        blockGasCostStep: integer('By how much the cost of a block changes with each.'),
        gasLimit: integer('Gas of a block.'),
        maxBlockGasCost: integer('Upper bound of the cost of a block. Gas.'),
        minBaseFee: integer("Lower bound of the base fee. The native asset's smallest unit."),
        minBlockGasCost: integer('Lower bound of the cost of a block. Gas.'),
        targetBlockRate: integer('Seconds between blocks that are aimed at.'),
        targetGas: integer('Gas in ten seconds that is aimed at.'),
      },
    },
    messagingConfig: {
      type: 'object',
      description: 'Warp messages.',
      properties: {
        blockTimestamp: integer('When they begin. UNIX seconds.'),
        quorumNumerator: integer('Percent of the weight that has to sign; 0 means 67.'),
        requirePrimaryNetworkSigners: {
          type: 'boolean',
          description: 'Whether messages of the primary network need its validators.',
        },
      },
    },
    ...each(
      ALLOW_LISTS.map((name) => `${name}Config`),
      {
        type: 'object',
        description: 'A precompile that only some may use.',
        properties: {
          blockTimestamp: integer('When it begins. UNIX seconds.'),
          adminAddresses: addresses('Who may change all roles.'),
          managerAddresses: addresses('Who may let others in.'),
          enabledAddresses: addresses('Who may use it.'),
        },
      },
    ),
  },
} as const;

/** Of EVM chains: their genesis, as the specification names its parts. What cannot be read is left out. */
export const GENESIS_DATA: ApiPropertyOptions = {
  type: 'object',
  required: ['alloc', 'config'],
  description:
    'Of EVM chains: the genesis that they were created with. Left out are keys that cannot be read.',
  properties: {
    airdropAmount: nullable(integer("Of each airdrop. The native asset's smallest unit.")),
    airdropHash: hex('Hash of the file with the airdrops.'),
    alloc: {
      type: 'object',
      description: 'Accounts of the genesis by address.',
      additionalProperties: {
        type: 'object',
        properties: {
          balance: hex("In the native asset's smallest unit."),
          code: hex('Of a contract.'),
          storage: {
            type: 'object',
            description: 'Words of a contract by slot.',
            additionalProperties: hex('A word.'),
          },
        },
      },
      example: { '0x8db97c7cece249c2b98bdc0226cc4c2a57bf52fc': { balance: '0x295be96e64066972000000' } },
    },
    baseFeePerGas: nullable(integer("Of the first block. The native asset's smallest unit.")),
    blobGasUsed: nullable(hex('Of the first block.')),
    coinbase: hex('Who gets the fees of the first block.'),
    config: CONFIG,
    difficulty: hex('Means nothing on Avalanche.'),
    excessBlobGas: nullable(hex('Of the first block.')),
    extraData: hex('Of the first block.'),
    gasLimit: hex('Of the first block.'),
    gasUsed: hex('Of the first block.'),
    mixHash: hex('Means nothing on Avalanche.'),
    nonce: hex('Means nothing on Avalanche.'),
    number: hex('Height of the first block.'),
    parentHash: hex('Of the first block.'),
    timestamp: hex('Of the first block. UNIX seconds.'),
  },
};
