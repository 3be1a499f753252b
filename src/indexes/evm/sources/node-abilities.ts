/** How long an observation is believed; then it is tried again. */
const ABILITY_TTL_MS = 600_000;

export type Expectation = 'able' | 'unknown' | 'unable';

interface Seen {
  readonly height: bigint;
  readonly until: number;
}

interface Ability {
  /** Lowest height that it had. */
  readonly has?: Seen | undefined;
  /** Highest height that it lacked, when it had nothing there or beneath since. */
  readonly lacks?: Seen | undefined;
}

/**
 * Which heights of a facet each node was seen to have: blocks with receipts, or traces. Nodes throw away what is old, so what one
 * has at a height it is expected to have above, and what it lacks there it is expected to lack beneath. In the memory of a process:
 * each learns for itself.
 */
export class NodeAbilities<Node> {
  private readonly abilities = new Map<Node, Ability>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  noteSuccess(node: Node, height: bigint): void {
    const { has, lacks } = this.abilityOf(node);
    const isLower = has === undefined || height <= has.height;
    this.abilities.set(node, {
      has: isLower ? this.seenAt(height) : this.seenAt(has.height),
      lacks: lacks !== undefined && lacks.height < height ? lacks : undefined,
    });
  }

  noteLack(node: Node, height: bigint): void {
    const { has, lacks } = this.abilityOf(node);
    const highest = lacks !== undefined && lacks.height > height ? lacks.height : height;
    this.abilities.set(node, {
      has: has !== undefined && has.height > height ? has : undefined,
      lacks: this.seenAt(highest),
    });
  }

  expect(node: Node, height: bigint): Expectation {
    const { has, lacks } = this.abilityOf(node);
    if (lacks !== undefined && height <= lacks.height) return 'unable';
    return has !== undefined && has.height <= height ? 'able' : 'unknown';
  }

  /** Those first that have the height as far as is known, those last that lack it; equals stay in their order. */
  inOrder(nodes: readonly Node[], height: bigint): Node[] {
    const rank = (node: Node): number => RANKS[this.expect(node, height)];
    return nodes.toSorted((a, b) => rank(a) - rank(b));
  }

  private abilityOf(node: Node): Ability {
    const { has, lacks } = this.abilities.get(node) ?? {};
    const now = this.now();
    const ifFresh = (seen: Seen | undefined): Seen | undefined =>
      seen !== undefined && now < seen.until ? seen : undefined;
    return { has: ifFresh(has), lacks: ifFresh(lacks) };
  }

  private seenAt(height: bigint): Seen {
    return { height, until: this.now() + ABILITY_TTL_MS };
  }
}

const RANKS: Readonly<{ [expectation in Expectation]: number }> = { able: 0, unknown: 1, unable: 2 };
