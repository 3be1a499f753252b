import { describe, expect, it } from '@jest/globals';
import { NodeAbilities } from './node-abilities.js';

describe(NodeAbilities.name, () => {
  it('expects what a node had at a height above it, and what it lacked beneath it', () => {
    const abilities = new NodeAbilities<string>();
    abilities.noteSuccess('pruned', 300n);
    abilities.noteLack('pruned', 200n);
    const expected = [301n, 300n, 250n, 200n, 0n].map((height) => abilities.expect('pruned', height));
    expect(expected).toEqual(['able', 'able', 'unknown', 'unable', 'unable']);
    expect(abilities.expect('other', 0n)).toBe('unknown');
  });

  it('learns from the last word: a node that failed at one block is able again with the next one', () => {
    const abilities = new NodeAbilities<string>();
    abilities.noteSuccess('node', 100n);
    abilities.noteLack('node', 99n);
    expect(abilities.expect('node', 98n)).toBe('unable');
    abilities.noteSuccess('node', 98n);
    expect(abilities.expect('node', 98n)).toBe('able');
    abilities.noteLack('node', 500n);
    expect(abilities.expect('node', 400n)).toBe('unable');
    expect(abilities.expect('node', 501n)).toBe('unknown');
  });

  it('puts those first that are known to be able, and those last that are known not to be', () => {
    const abilities = new NodeAbilities<string>();
    abilities.noteLack('a', 10n);
    abilities.noteSuccess('c', 5n);
    expect(abilities.inOrder(['a', 'b', 'c', 'd'], 8n)).toEqual(['c', 'b', 'd', 'a']);
    expect(abilities.inOrder(['a', 'b', 'c', 'd'], 11n)).toEqual(['c', 'a', 'b', 'd']);
  });

  it('forgets after ten minutes, unless it is seen again', () => {
    let now = 0;
    const abilities = new NodeAbilities<string>(() => now);
    abilities.noteSuccess('able', 100n);
    abilities.noteLack('unable', 100n);
    now = 599_999;
    abilities.noteSuccess('able', 200n);
    now = 600_000;
    expect(abilities.expect('unable', 100n)).toBe('unknown');
    expect(abilities.expect('able', 100n)).toBe('able');
    now = 1_199_999;
    expect(abilities.expect('able', 100n)).toBe('unknown');
  });
});
