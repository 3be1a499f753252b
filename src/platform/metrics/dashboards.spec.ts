import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectFolder } from '../config/project-folder.js';

const GRAFANA = join(projectFolder(), 'deploy', 'grafana');
const COLUMNS = 24;

const CountSchema = z.number().int().min(0);
const GridSchema = z.object({ x: CountSchema, y: CountSchema, w: CountSchema, h: CountSchema });
type Place = z.output<typeof GridSchema>;

const PanelSchema = z.object({
  id: CountSchema,
  title: z.string().min(1),
  type: z.enum(['row', 'stat', 'timeseries']),
  gridPos: GridSchema,
  datasource: z.object({ uid: z.string() }).optional(),
  targets: z
    .array(z.object({ expr: z.string().min(1), datasource: z.object({ uid: z.string() }) }))
    .default([]),
});

const DashboardSchema = z.object({
  uid: z.string(),
  title: z.string().min(1),
  panels: z.array(PanelSchema).min(1),
});

const folder = join(GRAFANA, 'dashboards');
const dashboards = readdirSync(folder).map((name) => ({
  name,
  text: readFileSync(join(folder, name), 'utf8'),
}));

const read = (...path: string[]): string => readFileSync(join(projectFolder(), ...path), 'utf8');

/** Of the generated table. */
const documented = Array.from(
  read('docs', 'metrics.md').matchAll(/^\| `(nds_\w+)` \|/gm),
  ([, name = '']) => name,
);

/** Series of histograms count as the histogram. */
function metricsIn(text: string): Set<string> {
  const names = Array.from(text.matchAll(/\bnds_[a-z0-9_]+/g), ([name]) => name);
  return new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
}

const parse = (text: string) => DashboardSchema.parse(JSON.parse(text));

const overlap = (a: Place, b: Place): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

describe('dashboards', () => {
  it('have unique ids, after which their files are named', () => {
    expect(dashboards.length).toBeGreaterThan(0);
    expect(dashboards.map(({ text }) => `${parse(text).uid}.json`)).toEqual(
      dashboards.map(({ name }) => name),
    );
  });

  it.each(dashboards)('ask the provisioned source for something in every panel: $name', ({ text }) => {
    const source = /^ +uid: (\S+)$/m.exec(
      readFileSync(join(GRAFANA, 'provisioning', 'datasources', 'prometheus.yml'), 'utf8'),
    )?.[1];
    const { panels } = parse(text);
    for (const { type, datasource, targets } of panels) {
      if (type === 'row') continue;
      expect(targets.length).toBeGreaterThan(0);
      expect([datasource, ...targets.map((target) => target.datasource)].map((one) => one?.uid)).toEqual(
        Array.from({ length: targets.length + 1 }, () => source),
      );
    }
  });

  it.each(dashboards)('have panels with ids of their own that do not overlap: $name', ({ text }) => {
    const { panels } = parse(text);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const [position, { gridPos }] of panels.entries()) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(COLUMNS);
      expect(panels.slice(position + 1).filter((other) => overlap(gridPos, other.gridPos))).toEqual([]);
    }
  });

  it('and alarms ask for all metrics of the service, and for no others', () => {
    const texts = [...dashboards.map(({ text }) => text), read('deploy', 'prometheus', 'alerts.yml')];
    expect([...metricsIn(texts.join('\n'))].sort()).toEqual([...documented].sort());
  });
});
