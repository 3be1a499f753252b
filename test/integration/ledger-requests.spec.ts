import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { packAddress } from '../../src/avalanche/ids/address.js';
import { isRecord } from '../support/http/list-api.js';
import type { Answer } from '../support/http/operations-api.js';
import { ADDRESS, CHECKSUMMED, OperationsBed, refused } from '../support/exports/operations-bed.js';

const TYPE = 'TRANSACTION_EXPORT_PRIMARY_NETWORK';
const bech32 = (byte: number, hrp = 'fuji'): string =>
  packAddress({ hrp, bytes: new Uint8Array(20).fill(byte) });
const options = { network: 'fuji', addresses: [bech32(1)] };
const valid = { type: TYPE, firstDate: '2026-01-01', lastDate: '2026-01-31', options };
const ADDRESS_RULE =
  'must be an address: bech32 with or without P-, X- or C- in front, or 0x and 40 hex digits';

describe('requests of ledgers', () => {
  let bed: OperationsBed;

  beforeAll(async () => {
    bed = await OperationsBed.start();
    await bed.api.dataSource.query(
      `INSERT INTO index_checkpoints (network, chain, height, block_id, block_time, state)
       VALUES ('fuji', 'p-chain', 7, '\\x00', 1700000000, '{"networkId": 5, "avaxAssetId": null}')`,
    );
    await bed.api.dataSource.query(
      `INSERT INTO subnets (network, subnet_id, block_height, block_time)
       VALUES ('fuji', decode(repeat('00', 32), 'hex'), -1, 1767225600)`,
    );
  });

  afterAll(() => bed.stop());

  const ask = (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
    bed.api.request('/v1/operations/ledger:export', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  const idOf = ({ status, body }: Answer): string => {
    expect(status).toBe(201);
    return isRecord(body) ? String(body['operationId']) : '';
  };

  const withOptions = (changes: object) => ({ ...valid, options: { ...options, ...changes } });
  it.each<[string, object, string]>([
    ['another type', { ...valid, type: 'TRANSACTION_EXPORT_EVM' }, `type: must be ${TYPE}`],
    ['an old name of a date', { ...valid, startDate: '2026-01-01' }, 'unknown property startDate'],
    ['chains', withOptions({ includeChains: ['1'] }), 'options: unknown property includeChains'],
    ['no options', { type: TYPE }, 'options: must be an object with network and addresses'],
    [
      'no network',
      withOptions({ network: undefined }),
      'options.network: must be one of mainnet, fuji, testnet',
    ],
    [
      'another network',
      withOptions({ network: 'local' }),
      'options.network: must be one of mainnet, fuji, testnet',
    ],
    ['no addresses', withOptions({ addresses: undefined }), 'options.addresses: must be a list of addresses'],
    ['an empty list', withOptions({ addresses: [] }), 'options.addresses: must name at least one address'],
    ['a number', withOptions({ addresses: [7] }), `options.addresses[0]: ${ADDRESS_RULE}`],
    ['other text', withOptions({ addresses: ['fuji1x'] }), `options.addresses[0]: ${ADDRESS_RULE}`],
    ['a short 0x', withOptions({ addresses: ['0x12'] }), `options.addresses[0]: ${ADDRESS_RULE}`],
    [
      'another chain in front',
      withOptions({ addresses: [`Q-${bech32(1)}`] }),
      `options.addresses[0]: ${ADDRESS_RULE}`,
    ],
    [
      'a wrong checksum',
      withOptions({ addresses: [CHECKSUMMED.replace('5aA', '5AA')] }),
      'options.addresses[0]: must have the right upper and lower case letters (EIP-55 checksum), or only lower case ones',
    ],
    [
      'an address of another network',
      withOptions({ addresses: [bech32(1, 'avax')] }),
      'options.addresses: addresses of this network start with fuji1',
    ],
    [
      'too many addresses of both kinds',
      withOptions({
        addresses: [ADDRESS, ...Array.from({ length: 64 }, (_, byte) => bech32(byte))],
      }),
      'options.addresses: must not have more than 64 different values',
    ],
    ['a format of tools', withOptions({ format: 'koinly' }), 'options.format: must be standard'],
    [
      'last before first',
      { ...valid, lastDate: '2025-12-31' },
      'firstDate: must not be after lastDate (2026-01-01, 2025-12-31)',
    ],
  ])('are answered with 400: %s', async (_name, body, message) => {
    refused(await ask(body), 400, message);
  });

  it('are answered with 503 for a network whose P-chain is not indexed', async () => {
    const addresses = [bech32(1, 'avax')];
    const message = 'the P-chain of mainnet is not indexed: its index has not begun, or is not configured';
    refused(await ask(withOptions({ network: 'mainnet', addresses })), 503, message, 'Service Unavailable');
  });

  it('start an export of the addresses, each once, from the genesis on', async () => {
    const addresses = [`X-${bech32(2)}`, CHECKSUMMED, bech32(1), `P-${bech32(2)}`, `C-${bech32(1)}`];
    const id = idOf(await ask({ type: TYPE, lastDate: '2026-02-01', options: { ...options, addresses } }));
    expect((await bed.inputOf(id)).request).toEqual({
      type: TYPE,
      network: 'fuji',
      addresses: ['01'.repeat(20), '02'.repeat(20)],
      evmAddresses: [ADDRESS],
      firstDate: '2026-01-01',
      lastDate: '2026-02-01',
      timeZone: 'UTC',
      format: 'standard',
    });
    expect((await bed.api.get(id)).body).toMatchObject({ operationType: TYPE, operationStatus: 'RUNNING' });
  });

  it('start one export for an Idempotency-Key, and one for equal requests', async () => {
    const headers = { 'idempotency-key': 'a ledger'.replace(' ', '-') };
    const id = idOf(await ask(valid, headers));
    expect(idOf(await ask(withOptions({ addresses: [`P-${bech32(1)}`], network: 'testnet' }), headers))).toBe(
      id,
    );
    refused(
      await ask(withOptions({ addresses: [bech32(3)] }), headers),
      400,
      'Idempotency-Key: was used before, with another request',
    );
    const joined = withOptions({ addresses: [bech32(4), ADDRESS] });
    expect(idOf(await ask(joined))).toBe(idOf(await ask(joined)));
  });
});
