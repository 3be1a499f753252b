import { BoundedMap } from '../../avalanche/bounded-map.js';

/** Answers that are good for a while, asked for once however many want one. A question that fails is asked again. */
export class TtlCache<T> {
  private readonly answers: BoundedMap<string, { answer: Promise<T>; askedAtMs: number }>;

  constructor(
    private readonly limits: { readonly lifeMs: number; readonly max: number },
    private readonly ask: (name: string) => Promise<T>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.answers = new BoundedMap(limits.max);
  }

  get(name: string): Promise<T> {
    const known = this.answers.get(name);
    if (known !== undefined && this.nowMs() - known.askedAtMs < this.limits.lifeMs) return known.answer;
    const asked = { answer: this.ask(name), askedAtMs: this.nowMs() };
    this.answers.set(name, asked);
    asked.answer.catch(() => {
      if (this.answers.get(name) === asked) this.answers.delete(name);
    });
    return asked.answer;
  }
}
