import { z } from 'zod';
import { TRANSACTION_EXPORT_PRIMARY_NETWORK } from '../../../../workflows/contracts/export-transactions.js';
import { unpackAddress } from '../../../avalanche/ids/address.js';
import { IdError } from '../../../avalanche/ids/id.error.js';
import { shortIdToHex } from '../../../avalanche/ids/text.js';
import { EXAMPLES } from '../../../platform/http/openapi/examples.js';
import { objectSchema } from '../../../platform/http/schemas/object.schema.js';
import { EvmAddressSchema } from '../../../platform/http/schemas/evm-address.schema.js';
import { NetworkSchema } from '../../../platform/http/schemas/network.schema.js';
import { datesSchema, TimeZoneSchema } from './export-transactions.request.js';

const ADDRESS_RULE =
  'must be an address: bech32 with or without P-, X- or C- in front, or 0x and 40 hex digits';

/** `text`: the 20 bytes in hex; with 0x where `hrp` is undefined. */
interface LedgerAddress {
  readonly hrp: string | undefined;
  readonly text: string;
}

const AddressSchema = z
  .string({ error: ADDRESS_RULE })
  .transform((text, context): LedgerAddress => {
    const problems: string[] = [];
    const address = text.startsWith('0x') ? readEvmAddress(text, problems) : readBech32(text);
    if (address !== undefined) return address;
    context.addIssue(problems[0] ?? ADDRESS_RULE);
    return z.NEVER;
  })
  .meta({ format: 'ledger-address' });

function readEvmAddress(text: string, problems: string[]): LedgerAddress | undefined {
  const parsed = EvmAddressSchema.safeParse(text);
  if (parsed.success) return { hrp: undefined, text: parsed.data };
  if (/^0x[0-9a-fA-F]{40}$/.test(text)) problems.push(...parsed.error.issues.map(({ message }) => message));
  return undefined;
}

function readBech32(text: string): LedgerAddress | undefined {
  try {
    const { chainAlias, hrp, bytes } = unpackAddress(text);
    const isKnown = chainAlias === undefined || ['P', 'X', 'C'].includes(chainAlias);
    return isKnown ? { hrp, text: shortIdToHex(bytes) } : undefined;
  } catch (error) {
    if (error instanceof IdError) return undefined;
    throw error;
  }
}

function eachOnce(addresses: readonly LedgerAddress[]): LedgerAddress[] {
  const byText = new Map(addresses.map((address) => [`${address.hrp}:${address.text}`, address]));
  return [...byText.values()].sort((a, b) => (a.text < b.text ? -1 : 1));
}

/** Body of POST ledger:export. Addresses come out once each, in order. */
export const ExportLedgerRequestSchema = objectSchema(
  {
    type: z
      .literal(TRANSACTION_EXPORT_PRIMARY_NETWORK, { error: `must be ${TRANSACTION_EXPORT_PRIMARY_NETWORK}` })
      .meta({ description: 'Kind of the export.' }),
    ...datesSchema('the day of the genesis'),
    options: objectSchema(
      {
        network: NetworkSchema,
        addresses: z
          .array(AddressSchema, { error: 'must be a list of addresses' })
          .min(1, 'must name at least one address')
          .transform(eachOnce)
          .meta({
            description:
              'Addresses whose ledger is exported, as one account: bech32 for the P- and the X-chain, with or without a chain prefix (`P-`, `X-`, `C-`), and 0x for imports and exports of the C-chain.',
            example: [EXAMPLES.address, EXAMPLES.evmAddress],
          }),
        timeZone: TimeZoneSchema,
        format: z
          .literal('standard', { error: 'must be standard' })
          .default('standard')
          .meta({ description: 'Rows of the file: one for each change of what the account holds.' }),
      },
      'must be an object with network and addresses',
    ),
  },
  'the body must be a JSON object',
).meta({
  example: {
    type: TRANSACTION_EXPORT_PRIMARY_NETWORK,
    options: { network: 'fuji', addresses: [EXAMPLES.address, EXAMPLES.evmAddress] },
  },
});

export type ExportLedgerRequest = z.output<typeof ExportLedgerRequestSchema>;
