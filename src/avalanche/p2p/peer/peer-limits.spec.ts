import { describe, expect, it } from '@jest/globals';
import { InboundMemory, type MemoryHolder } from './peer-limits.js';

const KIB = 1024;

describe(InboundMemory.name, () => {
  const memory = new InboundMemory(1000 * KIB);
  const gone: string[] = [];
  const holder = (name: string): MemoryHolder => {
    const self = {
      giveWay: () => {
        gone.push(name);
        memory.hold(self, 0);
      },
    };
    return self;
  };

  it('takes from the largest holder once it is used up, whoever takes the last of it, and never for little', () => {
    const [large, larger, late] = [holder('large'), holder('larger'), holder('late')];
    memory.hold(large, 300 * KIB);
    memory.hold(larger, 100 * KIB);
    memory.hold(larger, 650 * KIB);
    memory.hold(late, 64 * KIB);
    expect(gone).toEqual([]);
    memory.hold(late, 65 * KIB);
    expect(gone).toEqual(['larger']);
    memory.hold(late, 700 * KIB);
    expect(gone).toEqual(['larger']);
    memory.hold(late, 701 * KIB);
    expect(gone).toEqual(['larger', 'late']);
  });
});
