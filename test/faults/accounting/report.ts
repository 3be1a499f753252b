import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeMachine } from '../../bench/machine.js';
import { row } from '../../bench/report.js';
import { hasSucceeded, type LoggedRequest, type RequestLog } from '../load/request-log.js';
import type { Episode } from '../sequence.js';
import { countBy, divide, summarise } from './requests.js';
import type { Verdict } from './verdict.js';

export interface Accounting {
  readonly episodes: readonly Episode[];
  readonly left: readonly { readonly fault: string; readonly why: string }[];
  readonly log: RequestLog;
  readonly verdicts: readonly Verdict[];
  readonly seed: number;
  readonly minutes: number;
}

/** For people, as Markdown. */
export function toMarkdown({ episodes, left, log, verdicts, seed, minutes }: Accounting): string {
  const divided = divide(log, episodes);
  return [
    row(['Fault', 'Requests', 'Failed', 'Answers after', 'Indexes at the tip after', 'Remarks']),
    row(['---', '---', '---', '---', '---', '---']),
    ...episodes.map((episode) => episodeRow(episode, divided.get(episode) ?? [])),
    ...left.map(({ fault, why }) => row([fault, '', '', '', '', `left out: ${why}`])),
    row(['between faults', ...requestCells(divided.get(undefined) ?? []), '', '', '']),
    '',
    row(['Must be so', '', '']),
    row(['---', '---', '---']),
    ...verdicts.map(({ what, holds, details }) => row([what, holds ? 'yes' : '**no**', details])),
    '',
    `Seed ${seed}, ${minutes.toFixed(1)} minutes, ${describeMachine()}.`,
  ].join('\n');
}

function episodeRow(
  { fault, answersAfterSeconds, tipAfterSeconds, notes }: Episode,
  requests: readonly LoggedRequest[],
): string {
  const seconds = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(1)} s` : 'never');
  return row([
    fault.name,
    ...requestCells(requests),
    seconds(answersAfterSeconds),
    seconds(tipAfterSeconds),
    notes.join('; '),
  ]);
}

function requestCells(requests: readonly LoggedRequest[]): string[] {
  const failed = requests.filter((request) => !hasSucceeded(request));
  const counts = countBy(failed, ({ kind, outcome }) => `${kind} ${outcome}`);
  const failures = [...counts].map(([name, count]) => `${count} × ${name}`);
  return [String(requests.length), failures.join(', ') || '0'];
}

/** For programs. */
export function writeJson(file: string, { episodes, left, log, verdicts, seed, minutes }: Accounting): void {
  mkdirSync(dirname(file), { recursive: true });
  const faults = episodes.map(({ fault, beganAt, overAt, answersAfterSeconds, tipAfterSeconds, notes }) => ({
    fault: fault.name,
    what: fault.what,
    lastedSeconds: (overAt - beganAt) / 1000,
    answersAfterSeconds,
    tipAfterSeconds,
    notes,
  }));
  const requests = summarise(log, episodes).filter(({ total }) => total > 0);
  const content = { machine: describeMachine(), seed, minutes, faults, left, requests, verdicts };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
