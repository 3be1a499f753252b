/** Metrics of a process. */
export class Scrape {
  private constructor(readonly text: string) {}

  static async of(url: string): Promise<Scrape> {
    const response = await fetch(`${url}/metrics`);
    if (!response.ok) throw new Error(`${url} answers ${response.status}`);
    return new Scrape(await response.text());
  }

  /** Metrics that it declares, with samples or without, in order. */
  get names(): string[] {
    return Array.from(this.text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name);
  }

  /** Sum of the samples of that name whose labels have what is given; undefined when there is none. */
  value(name: string, labels: Record<string, string> = {}): number | undefined {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const found = this.samples(name).filter(({ text }) => wanted.every((pair) => text.includes(pair)));
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  }

  private samples(name: string): { text: string; value: number }[] {
    return this.text.split('\n').flatMap((line) => {
      const [, own, text = '', value] = /^([^\s{]+)(\{.*\})? (\S+)$/.exec(line) ?? [];
      return own === name ? [{ text, value: Number(value) }] : [];
    });
  }
}
