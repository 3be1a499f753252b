import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mapGenesisData } from './genesis-data.js';

const map = (value: unknown) => mapText(JSON.stringify(value));
const mapText = (text: string) => mapGenesisData(new TextEncoder().encode(text));
const parsed = (value: unknown): unknown => JSON.parse(map(value).genesis ?? 'null');
const evm = (root: object = {}, config: object = {}) => ({
  config: { chainId: 7, ...config },
  alloc: {},
  ...root,
});

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = `0x${'cd'.repeat(20)}`;

describe(mapGenesisData.name, () => {
  it("maps a subnet-evm genesis to the specification's keys", () => {
    const source = {
      config: {
        chainId: 99999,
        homesteadBlock: 0,
        eip150Block: 0,
        eip150Hash: HASH,
        londonBlock: 5,
        subnetEVMTimestamp: 12,
        durangoTimestamp: 0,
        allowFeeRecipients: false,
        feeConfig: { gasLimit: 8000000, targetBlockRate: 2, minBaseFee: 25000000000, unknown: 1 },
        warpConfig: { blockTimestamp: 1, quorumNumerator: 67, requirePrimaryNetworkSigners: true },
        txAllowListConfig: { blockTimestamp: 0, adminAddresses: [ADDRESS.toUpperCase().replace('X', 'x')] },
        contractNativeMinterConfig: {
          blockTimestamp: 3,
          managerAddresses: [ADDRESS],
          initialMint: { a: '0x1' },
        },
      },
      nonce: '0x2a',
      timestamp: 1600000000,
      extraData: '0x00',
      gasLimit: '8000000',
      difficulty: '0x0',
      mixHash: HASH,
      coinbase: ADDRESS,
      alloc: {
        ['CD'.repeat(20)]: { balance: '0x295BE96E64066972000000' },
        [`0x${'02'.repeat(20)}`]: { balance: '100', code: '0x01', storage: { [HASH]: HASH }, nonce: '0x1' },
      },
      airdropHash: HASH,
      airdropAmount: null,
      number: '0x0',
      gasUsed: '0x0',
      parentHash: HASH,
      baseFeePerGas: '0x5d21dba00',
      excessBlobGas: '0x0',
    };
    expect(map(source).evmChainId).toBe(99999n);
    expect(parsed(source)).toEqual({
      airdropAmount: null,
      airdropHash: HASH,
      alloc: {
        [ADDRESS]: { balance: '0x295be96e64066972000000' },
        [`0x${'02'.repeat(20)}`]: { balance: '0x64', code: '0x01', storage: { [HASH]: HASH } },
      },
      baseFeePerGas: 25_000_000_000,
      blobGasUsed: null,
      coinbase: ADDRESS,
      config: {
        chainId: 99999,
        homesteadBlock: 0,
        eip150Block: 0,
        eip150Hash: HASH,
        londonBlock: 5,
        subnetVmTimestamp: 12,
        allowFeeRecipients: false,
        feeConfig: { gasLimit: 8000000, targetBlockRate: 2, minBaseFee: 25000000000 },
        messagingConfig: { blockTimestamp: 1, quorumNumerator: 67, requirePrimaryNetworkSigners: true },
        txAllowListConfig: { blockTimestamp: 0, adminAddresses: [ADDRESS] },
        contractNativeMinterConfig: { blockTimestamp: 3, managerAddresses: [ADDRESS] },
      },
      difficulty: '0x0',
      excessBlobGas: '0x0',
      extraData: '0x00',
      gasLimit: '0x7a1200',
      gasUsed: '0x0',
      mixHash: HASH,
      nonce: '0x2a',
      number: '0x0',
      parentHash: HASH,
      timestamp: '0x5f5e1000',
    });
  });

  it.each<[string, unknown, string]>([
    ['hex', '0xFf', '0xff'],
    ['hex with leading zeros', '0x00ff', '0xff'],
    ['decimal text', '255', '0xff'],
    ['a number', 255, '0xff'],
    ['zero', 0, '0x0'],
  ])('reads a number as %s', (_name, difficulty, expected) => {
    expect(parsed(evm({ difficulty }))).toMatchObject({ difficulty: expected });
  });

  it('keeps every digit of integers beyond 2^53, in whatever form they come', () => {
    const big = 340282366920938463463374607431768211455n;
    const text = (minBaseFee: string) =>
      `{"config":{"chainId":18446744073709551615,"feeConfig":{"minBaseFee":${minBaseFee}}},"alloc":{},"gasLimit":${big}}`;
    for (const form of [`${big}`, `"${big}"`, `"0x${big.toString(16)}"`]) {
      const mapped = mapText(text(form));
      expect(mapped.evmChainId).toBe(18446744073709551615n);
      expect(mapped.genesis).toContain(`"minBaseFee":${big}`);
      expect(mapped.genesis).toContain('"chainId":18446744073709551615');
      expect(mapped.genesis).toContain('"gasLimit":"0xffffffffffffffffffffffffffffffff"');
    }
  });

  it('leaves digits inside of strings alone', () => {
    const code = `0x${'12345678901234567890'.repeat(3)}`;
    expect(parsed(evm({ alloc: { [ADDRESS]: { balance: '0x0', code } } }))).toMatchObject({
      alloc: { [ADDRESS]: { code } },
    });
    expect(parsed({ ...evm(), 'a\\"b': '\\"12345678901234567890' })).toMatchObject({
      config: { chainId: 7 },
    });
  });

  it('gives missing fields what the VM gives them, and leaves missing configuration out', () => {
    expect(parsed(evm())).toEqual({
      airdropAmount: null,
      airdropHash: `0x${'00'.repeat(32)}`,
      alloc: {},
      baseFeePerGas: null,
      blobGasUsed: null,
      coinbase: `0x${'00'.repeat(20)}`,
      config: { chainId: 7 },
      difficulty: '0x0',
      excessBlobGas: null,
      extraData: '0x',
      gasLimit: '0x0',
      gasUsed: '0x0',
      mixHash: `0x${'00'.repeat(32)}`,
      nonce: '0x0',
      number: '0x0',
      parentHash: `0x${'00'.repeat(32)}`,
      timestamp: '0x0',
    });
    expect(map({ config: {}, alloc: {} }).evmChainId).toBeNull();
  });

  it.each<[string, unknown]>([
    ['a negative number', -1],
    ['a fraction', 1.5],
    ['an exponent', 1e300],
    ['a boolean', true],
    ['an object', {}],
    ['a list', [1]],
    ['text', 'many'],
    ['an empty 0x', '0x'],
    ['more than 256 bits', `0x1${'00'.repeat(32)}`],
  ])('leaves out a number that is %s', (_name, value) => {
    const genesis = parsed(evm({ gasLimit: value, airdropAmount: value }, { londonBlock: value }));
    expect(genesis).not.toHaveProperty('gasLimit');
    expect(genesis).not.toHaveProperty('airdropAmount');
    expect(genesis).not.toHaveProperty('config.londonBlock');
  });

  it('leaves out what has a wrong type or is no address', () => {
    expect(
      parsed(
        evm(
          {
            alloc: { nonsense: { balance: '1' }, [ADDRESS]: 7, ['0x12']: {} },
            mixHash: 'xyz',
            extraData: '0x123',
          },
          {
            feeConfig: [],
            warpConfig: 'on',
            txAllowListConfig: { adminAddresses: [ADDRESS, 5, 'x', null], enabledAddresses: 'all' },
            allowFeeRecipients: 'yes',
          },
        ),
      ),
    ).toMatchObject({ alloc: {}, config: { chainId: 7, txAllowListConfig: { adminAddresses: [ADDRESS] } } });
    expect(parsed(evm({}, { feeConfig: [] }))).not.toHaveProperty('config.feeConfig');
    expect(parsed(evm({ mixHash: 'xyz' }))).not.toHaveProperty('mixHash');
  });

  it.each<[string, Uint8Array]>([
    ['no bytes', new Uint8Array()],
    ['binary', new Uint8Array([0, 0, 255, 254, 1])],
    ['broken UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
    ...(
      [
        ['cut off JSON', '{"config":{"chainId":1},"alloc":{'],
        ['a list', '[]'],
        ['null', 'null'],
        ['a number', '12345678901234567890123'],
        ['text', '"genesis"'],
        ['another VM', '{"name":"x"}'],
        ['an EVM genesis without accounts', '{"config":{"chainId":1}}'],
        ['a list as config', '{"config":[],"alloc":{}}'],
        ['an unfinished string', '{"config'],
        ['very deep JSON', `${'{"config":'.repeat(200_000)}1${'}'.repeat(200_000)}`],
        ['very deep lists', '['.repeat(1_000_000)],
      ] satisfies [string, string][]
    ).map(([name, text]): [string, Uint8Array] => [name, new TextEncoder().encode(text)]),
  ])('maps %s to nothing', (_name, bytes) => {
    expect(mapGenesisData(bytes)).toEqual({ genesis: null, evmChainId: null });
  });

  it('is not led astray by prototypes', () => {
    const mapped = mapText(
      '{"__proto__":{"config":{"chainId":1},"alloc":{}},"config":{"chainId":2,"__proto__":{"londonBlock":9}},' +
        '"alloc":{"__proto__":{"balance":"1"},"constructor":{"balance":"1"}}}',
    );
    expect(mapped.evmChainId).toBe(2n);
    expect(JSON.parse(mapped.genesis ?? '')).toMatchObject({ alloc: {}, config: { chainId: 2 } });
    expect(mapped.genesis).not.toContain('londonBlock');
    expect(mapText('{"__proto__":{"config":{"chainId":1},"alloc":{}}}').genesis).toBeNull();
    expect(Object.prototype).not.toHaveProperty('config');
  });

  it('maps the longest genesis that the P-chain takes', () => {
    const alloc = Object.fromEntries(
      Array.from({ length: 12_000 }, (_, i) => [`0x${i.toString(16).padStart(40, '0')}`, { balance: '0x1' }]),
    );
    expect(map(evm({ alloc })).genesis?.match(/"balance"/g)).toHaveLength(12_000);
  });

  it('never throws and always gives JSON', () => {
    const config = fc.dictionary(
      fc.constantFrom('chainId', 'londonBlock', 'feeConfig', 'warpConfig', 'txAllowListConfig', '__proto__'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        fc.record({ config, alloc: fc.jsonValue(), nonce: fc.jsonValue(), extraData: fc.jsonValue() }),
        (value) => {
          const { genesis } = map(value);
          if (genesis !== null) expect(typeof JSON.parse(genesis)).toBe('object');
        },
      ),
    );
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void mapGenesisData(bytes)));
  });
});
