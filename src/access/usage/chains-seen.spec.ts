import { describe, expect, it } from '@jest/globals';
import { ChainsSeen } from './chains-seen.js';

const CB58 = '2owdGqyG6FFzTHy5qhenDXQcEghvr571KZE3gSfRJERSJinuwC';

describe(ChainsSeen.name, () => {
  it('records the chain of a failed request only once another one was answered', () => {
    const chains = new ChainsSeen();
    expect(chains.of({ chainId: '7' }, 404)).toBeUndefined();
    expect(chains.of({ chainId: '7' }, 200)).toBe('7');
    expect(chains.of({ chainId: '7' }, 503)).toBe('7');
    expect(chains.of({ network: 'fuji' }, 200)).toBeUndefined();
  });

  it('has one name for all spellings of an id', () => {
    const chains = new ChainsSeen();
    const hex = 'ee488204088eaba3d3c0c5e26d7a2892677f8d6181ef31848708b4e55ead7667';
    const names = [hex, hex.toUpperCase(), `0x${hex}`, `0x${hex.replace('e', 'E')}`].map((blockchainId) =>
      chains.of({ blockchainId }, 200),
    );
    expect(new Set(names).size).toBe(1);
    expect(chains.of({ blockchainId: CB58 }, 200)).toBe(CB58);
  });

  it('goes on to record chains after any number of others', () => {
    const chains = new ChainsSeen(2);
    for (const chainId of ['1', '2', '3']) expect(chains.of({ chainId }, 200)).toBe(chainId);
    expect(chains.of({ chainId: '1' }, 404)).toBeUndefined();
    expect(chains.of({ chainId: '3' }, 404)).toBe('3');
  });
});
