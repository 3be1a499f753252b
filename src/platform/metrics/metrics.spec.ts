import { describe, expect, it } from '@jest/globals';
import { Metrics } from './metrics.js';

describe(Metrics.name, () => {
  const linesOf = async (metrics: Metrics): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it('reads anew what is looked up at each scrape, and forgets what is there no more', async () => {
    const metrics = new Metrics();
    const gauge = metrics.gauge({ name: 'nds_things', help: 'Things', labels: ['kind'] });
    let kinds = ['a', 'b'];
    metrics.onScrape([gauge], () => () => kinds.forEach((kind) => gauge.set({ kind }, 1)));
    expect(await linesOf(metrics)).toEqual(['nds_things{kind="a"} 1', 'nds_things{kind="b"} 1']);
    kinds = ['b'];
    expect(await linesOf(metrics)).toEqual(['nds_things{kind="b"} 1']);
  });

  it('leaves out what cannot be read, and reports the rest', async () => {
    const metrics = new Metrics();
    const gauge = metrics.gauge({ name: 'nds_things', help: 'Things', labels: ['kind'] });
    const counter = metrics.counter({ name: 'nds_deeds_total', help: 'Deeds' });
    let isAway = false;
    metrics.onScrape([gauge], async () => {
      if (isAway) throw new Error('the database is away');
      return () => gauge.set({ kind: 'a' }, 1);
    });
    metrics.include(() => Promise.reject(new Error('it does not answer')));
    counter.inc();
    await metrics.text();
    isAway = true;
    expect(await linesOf(metrics)).toEqual(['nds_deeds_total 1']);
  });

  it('reads once for all who ask at the same time', async () => {
    const metrics = new Metrics();
    let readings = 0;
    metrics.onScrape([], () => {
      readings += 1;
      return () => undefined;
    });
    await Promise.all([metrics.text(), metrics.text()]);
    expect(readings).toBe(1);
    await metrics.text();
    expect(readings).toBe(2);
  });

  it("puts another library's metrics behind its own, each on lines of their own", async () => {
    const metrics = new Metrics();
    metrics.counter({ name: 'nds_deeds_total', help: 'Deeds' }).inc(2);
    metrics.include(() => Promise.resolve('temporal_deeds_total 3'));
    expect(await linesOf(metrics)).toEqual(['nds_deeds_total 2', 'temporal_deeds_total 3']);
  });
});
