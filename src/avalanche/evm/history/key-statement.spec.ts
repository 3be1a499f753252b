import { describe, expect, it } from '@jest/globals';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { KEY_STATEMENT, signerOfStatement } from './key-statement.js';

describe(signerOfStatement.name, () => {
  it('finds who has signed the statement, as wallets sign it', async () => {
    for (let i = 0; i < 8; i++) {
      const account = privateKeyToAccount(generatePrivateKey());
      const signature = await account.signMessage({ message: KEY_STATEMENT });
      const address = account.address.toLowerCase();
      expect(signerOfStatement(signature)).toBe(address);
      const v = Number.parseInt(signature.slice(-2), 16) - 27;
      expect(signerOfStatement(`0x${signature.slice(2, -2)}0${v}`)).toBe(address);
      expect(signerOfStatement(`0x${signature.slice(2, -2)}1d`)).toBeUndefined();
      const other = await account.signMessage({ message: `${KEY_STATEMENT} ` });
      expect(signerOfStatement(other)).not.toBe(address);
    }
  });

  it.each([
    ['nothing', '0x'],
    ['too few bytes', `0x${'11'.repeat(64)}`],
    ['numbers out of range', `0x${'ff'.repeat(64)}1b`],
    ['zeros', `0x${'00'.repeat(65)}`],
  ] as const)('takes %s for no signature', (_, signature) => {
    expect(signerOfStatement(signature)).toBeUndefined();
  });
});
