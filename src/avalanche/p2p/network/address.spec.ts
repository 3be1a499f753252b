import { describe, expect, it } from '@jest/globals';
import type { LookupAddress } from 'node:dns';
import { fromHex } from '../../ids/hex.js';
import {
  ipToText,
  isLoopbackAddress,
  isPrivateAddress,
  lookupPublic,
  PRIVATE_ADDRESS_ERROR_CODE,
} from './address.js';

describe(isPrivateAddress.name, () => {
  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '100.127.255.255',
      '127.0.0.1',
      '127.255.0.1',
      '169.254.169.254',
    ],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.168.1.1', '198.18.0.1', '224.0.0.1', '240.0.0.1'],
    ...[
      '255.255.255.255',
      '::',
      '::1',
      '::7f00:1',
      'fc00::1',
      'fdff::1',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      'fec0::1',
    ],
    ...['ff02::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '0:0:0:0:0:ffff:c0a8:101'],
    ...['64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::'],
    ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '1.2.3.4.5', '1.2.3.4 '],
  ])('holds for %s', (address) => expect(isPrivateAddress(address)).toBe(true));

  it.each([
    ...[
      '1.1.1.1',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.0.0.1',
      '128.0.0.1',
      '172.15.0.1',
    ],
    ...[
      '172.32.0.1',
      '192.167.0.1',
      '192.169.0.1',
      '198.17.0.1',
      '198.20.0.1',
      '223.255.255.255',
      '203.0.113.7',
    ],
    ...['2001:db8::1', '2606:4700::1111', '::ffff:1.1.1.1', '::ffff:101:101'],
  ])('does not hold for %s', (address) => expect(isPrivateAddress(address)).toBe(false));
});

describe(isLoopbackAddress.name, () => {
  it.each(['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1'])('holds for %s', (address) =>
    expect(isLoopbackAddress(address)).toBe(true),
  );

  it.each(['128.0.0.1', '10.0.0.1', '::', '::2', 'localhost', ''])('does not hold for %s', (address) =>
    expect(isLoopbackAddress(address)).toBe(false),
  );
});

describe(ipToText.name, () => {
  it.each([
    ['7f000001', '127.0.0.1'],
    ['00000000000000000000ffffcb007107', '203.0.113.7'],
    ['20010db8000000000000000000000001', '2001:db8:0:0:0:0:0:1'],
    ['00000000000000000000000000000001', '0:0:0:0:0:0:0:1'],
  ])('writes %s as %s', (hex, text) => expect(ipToText(fromHex(hex))).toBe(text));

  it.each([0, 1, 3, 5, 15, 17])('has no text for %d bytes', (length) =>
    expect(ipToText(new Uint8Array(length))).toBeUndefined(),
  );

  it('writes IPv4 in IPv6 form such that it is still found private', () => {
    expect(isPrivateAddress(ipToText(fromHex('00000000000000000000ffff7f000001'))!)).toBe(true);
    expect(isPrivateAddress(ipToText(fromHex('0000000000000000000000007f000001'))!)).toBe(true);
  });
});

describe(lookupPublic.name, () => {
  const look = (host: string, all: boolean): Promise<string | LookupAddress[]> =>
    new Promise((resolve, reject) => {
      lookupPublic(host, { all }, (error, address) => (error === null ? resolve(address) : reject(error)));
    });

  it('finds nothing for a name of private addresses', async () => {
    for (const all of [true, false]) {
      await expect(look('localhost', all)).rejects.toMatchObject({ code: PRIVATE_ADDRESS_ERROR_CODE });
    }
  });

  it('finds public addresses, one or all', async () => {
    // An address in place of a name needs no name server.
    expect(await look('1.1.1.1', true)).toEqual([{ address: '1.1.1.1', family: 4 }]);
    expect(await look('1.1.1.1', false)).toBe('1.1.1.1');
  });
});
