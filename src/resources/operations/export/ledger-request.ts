import {
  type LedgerRequest,
  TRANSACTION_EXPORT_PRIMARY_NETWORK,
} from '../../../../workflows/contracts/export-transactions.js';
import type { Day } from '../../../exports/turns/days.js';
import type { IndexedNetwork } from '../../../indexes/overview/indexed-networks.js';
import type { NetworkName } from '../../../platform/config/config.module.js';
import { ApiError } from '../../../platform/http/errors/api-error.js';
import type { ExportLedgerRequest } from '../dto/export-ledger.request.js';
import {
  checkDays,
  completeDays,
  digestOf,
  type RequestLimits,
  tooMany,
  type ValidatedDays,
} from './export-request.js';

/** A checked request for a ledger, with the dates as they were given. */
export interface ValidatedLedger extends ValidatedDays {
  readonly type: typeof TRANSACTION_EXPORT_PRIMARY_NETWORK;
  readonly network: NetworkName;
  /** Hex, without and with 0x. */
  readonly addresses: readonly string[];
  readonly evmAddresses: readonly string[];
}

/**
 * Applies the rules that depend on the configuration, on the day and on what is indexed.
 *
 * Throws ApiError 400 that names everything that is wrong, and 503 for a network whose P-chain is not indexed.
 */
export function checkLedger(
  { options, ...dates }: ExportLedgerRequest,
  { limits, network, today }: { limits: RequestLimits; network: IndexedNetwork; today: Day },
): ValidatedLedger {
  const { network: name, timeZone } = options;
  const problems = [
    ...tooMany('options.addresses', options.addresses.length, limits.maxAddresses),
    ...foreignAddresses(options.addresses, network.hrp),
  ];
  const { firstDate, lastDate } = checkDays({ ...dates, timeZone }, problems, { limits, today });
  if (!network.isIndexed) {
    throw new ApiError(
      503,
      `the P-chain of ${name} is not indexed: its index has not begun, or is not configured`,
    );
  }
  const [addresses, evmAddresses] = [false, true].map((isEvm) =>
    options.addresses.flatMap(({ hrp, text }) => ((hrp === undefined) === isEvm ? [text] : [])),
  );
  const wanted = {
    network: name,
    addresses: addresses ?? [],
    evmAddresses: evmAddresses ?? [],
    firstDate,
    lastDate,
    timeZone,
  };
  const type = TRANSACTION_EXPORT_PRIMARY_NETWORK;
  const digest = digestOf([type, name, wanted.addresses, wanted.evmAddresses, firstDate, lastDate, timeZone]);
  return { type, ...wanted, digest };
}

/** Throws as `completeDays`. */
export function completeLedger(
  wanted: ValidatedLedger,
  surroundings: { limits: RequestLimits; today: Day; firstIndexedDate: Day | undefined },
): LedgerRequest {
  const { type, network, addresses, evmAddresses, timeZone } = wanted;
  return {
    type,
    network,
    addresses: [...addresses],
    evmAddresses: [...evmAddresses],
    ...completeDays(wanted, surroundings),
    timeZone,
    format: 'standard',
  };
}

function foreignAddresses(addresses: ExportLedgerRequest['options']['addresses'], hrp: string): string[] {
  const isForeign = addresses.some((address) => address.hrp !== undefined && address.hrp !== hrp);
  return isForeign ? [`options.addresses: addresses of this network start with ${hrp}1`] : [];
}
