/**
 * Draws the answer of /v1/status, again and again. Whatever comes from outside becomes text, never markup: messages of indexes repeat what
 * nodes report.
 */

import {
  badge,
  bar,
  blocks,
  byId,
  count,
  duration,
  el,
  keepDrawn,
  message,
  milliseconds,
  numbers,
  percent,
  quiet,
  readJson,
  svg,
} from './page.js';

const STATUS_URL = 'v1/status';
const POLL_MS = 2_000;
/** Processes report every five seconds. */
const SILENT_SECONDS = 15;
/** As rates, so that a slot more or less makes no difference to the eye. */
const MINUTE_SECONDS = 60;
const PRIMARY_NETWORK_ID = '11111111111111111111111111111111LpoYY';

/* Networks */

const NETWORK_TONES = { up: 'quiet', degraded: 'warn', down: 'bad' };

const isAlive = ({ silentSeconds }) => silentSeconds < SILENT_SECONDS;

function drawNetwork(network, processes) {
  const reaches = (processes ?? [])
    .filter(isAlive)
    .flatMap(({ stake }) => stake)
    .filter((stake) => stake.network === network.network);
  return el(
    'article',
    { class: 'card' },
    el(
      'div',
      { class: 'title' },
      el('h3', {}, network.network),
      network.status === 'down' ? badge('node unavailable', 'bad') : badge('node up', 'good'),
      network.sandbox ? badge('sandbox', 'warn') : '',
    ),
    network.pChainHeight === undefined ? '' : el('p', {}, `P-chain at ${count(network.pChainHeight)}`),
    ...drawReaches(reaches, processes),
    network.message === undefined ? '' : message(network.message, NETWORK_TONES[network.status]),
    el(
      'p',
      {},
      el(
        'a',
        { href: `status/${encodeURIComponent(network.network)}/subnets/${PRIMARY_NETWORK_ID}` },
        'Who would sign',
      ),
    ),
  );
}

/** One bar per process that collects signatures: each has connections of its own. */
function drawReaches(reaches, processes) {
  if (processes === undefined) return [];
  if (reaches.length === 0) return [quiet('No process is connected to its validators.')];
  return [
    el('p', {}, reaches.length === 1 ? 'Stake connected' : `Stake connected, by ${reaches.length} processes`),
    ...reaches.flatMap((reach) => [
      bar('stake connected', reach.percentage),
      quiet(`${count(reach.connected)} of ${count(reach.validators)} validators`),
    ]),
  ];
}

function drawNetworks({ networks, processes }) {
  if (networks.length === 0) return [quiet('No network is configured.')];
  return networks.map((network) => drawNetwork(network, processes));
}

/* Indexes */

const TONES = { running: 'good', waiting: 'warn', paused: 'warn', stopped: 'bad' };

function toneOf({ state, blocksLeft }) {
  return state === 'running' && blocksLeft !== undefined && blocksLeft !== '0' ? 'busy' : TONES[state];
}

function factsOf(index) {
  const { blocksLeft, blocksPerSecond, secondsLeft, lagSeconds, facet, height, silentSeconds, source } =
    index;
  const isBehind = blocksLeft !== undefined && blocksLeft !== '0';
  return [
    facet === undefined && height !== undefined && height !== '-1' ? `at ${count(height)}` : '',
    isBehind ? `${blocks(blocksLeft)} left` : '',
    isBehind && blocksPerSecond > 0 ? `${count(blocksPerSecond)} per second` : '',
    isBehind && secondsLeft !== undefined ? `${duration(secondsLeft)} to go` : '',
    source === undefined ? '' : `from ${source}`,
    lagSeconds === undefined ? '' : `lag ${duration(lagSeconds)}`,
    silentSeconds > 120 ? `silent for ${duration(silentSeconds)}` : '',
  ].filter((fact) => fact !== '');
}

/** Of a contract's address its ends are enough. */
const shorten = (name) => name.replace(/0x([0-9a-f]{4})[0-9a-f]{32}([0-9a-f]{4})/g, '0x$1…$2');

function drawIndex(index) {
  const { chain, facet, state, percentage, message: text } = index;
  const name = facet === undefined ? (chain.startsWith('evm-') ? 'newest blocks' : chain) : shorten(facet);
  return el(
    'div',
    { class: 'row' },
    el('span', { class: 'name' }, name),
    badge(state, toneOf(index)),
    percentage === undefined ? el('span') : bar(`${chain} ${name}`, percentage),
    el('span', { class: 'facts' }, factsOf(index).join(' · ')),
    text === undefined ? '' : message(text, state === 'running' ? 'quiet' : TONES[state]),
  );
}

/** Audits stand with the chain that they look at. */
const groupOf = ({ network, chain, chainName }) =>
  chainName === undefined
    ? `${network}: primary network`
    : `${network}: ${chainName} (${chain.replace('evm-', '')})`;

function drawIndexes({ indexes }) {
  if (indexes === undefined) return [quiet('Unknown while the database is unavailable.')];
  if (indexes.length === 0) return [quiet('No index has started yet.')];
  const groups = new Map();
  for (const index of indexes) groups.set(groupOf(index), [...(groups.get(groupOf(index)) ?? []), index]);
  return [...groups].map(([title, members]) =>
    el('article', { class: 'card group' }, el('h3', {}, title), ...members.map(drawIndex)),
  );
}

/* Running operations */

const KINDS = {
  TRANSACTION_EXPORT_EVM: 'export of transactions',
  TRANSACTION_EXPORT_PRIMARY_NETWORK: 'ledger of P, X and C',
};

function drawOperation({ type, percentage, rows, ageSeconds }) {
  return el(
    'div',
    { class: 'row' },
    el('span', { class: 'name' }, KINDS[type] ?? type),
    badge('running', 'busy'),
    percentage === undefined ? el('span', { class: 'quiet' }, 'waiting') : bar('progress', percentage),
    el('span', { class: 'facts' }, `${count(rows)} rows · since ${duration(ageSeconds)}`),
  );
}

function drawWork({ work }) {
  if (work === undefined) return [quiet('Unknown while Temporal is unavailable.')];
  const { operations, running } = work;
  const others = `Open workflows: ${count(running.aggregations)} for aggregations, ${count(running.nfts)} for NFT metadata.`;
  const more = running.operations - operations.length;
  return [
    operations.length === 0
      ? quiet('No export is running.')
      : el('article', { class: 'card group' }, ...operations.map(drawOperation)),
    more > 0 ? quiet(`And ${count(more)} more.`) : '',
    quiet(others),
  ].filter((part) => part !== '');
}

/* Aggregations */

/** 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

const MARGIN = { left: 56, right: 8, top: 8, bottom: 20 };
const HEIGHT = 176;

function drawPlot({ title, lines, seconds, format, width, highest }) {
  const values = lines.flatMap((line) => line.values).filter((value) => value !== undefined);
  const top = highest ?? roundUp(Math.max(...values, 0));
  const inner = { width: width - MARGIN.left - MARGIN.right, height: HEIGHT - MARGIN.top - MARGIN.bottom };
  const slots = lines[0].values.length;
  const x = (slot) => MARGIN.left + (inner.width * slot) / Math.max(1, slots - 1);
  const y = (value) => MARGIN.top + inner.height * (1 - value / top);
  const round = (value) => value.toFixed(1);
  const pathOf = (points) =>
    points
      .map((value, slot) => {
        if (value === undefined) return '';
        // A point without neighbours is a dot: a line of no length, with round ends.
        const isFirst = slot === 0 || points[slot - 1] === undefined;
        return `${isFirst ? 'M' : 'L'}${round(x(slot))} ${round(y(value))}${isFirst ? 'h0' : ''}`;
      })
      .join('');
  const ticks = [0, top / 2, top].flatMap((value) => [
    svg('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: y(value), y2: y(value) }),
    svg('text', { x: MARGIN.left - 6, y: y(value) + 4, 'text-anchor': 'end' }, format(value)),
  ]);
  const times = [0, 1 / 3, 2 / 3, 1].map((share) => {
    const ago = Math.round((seconds * (1 - share)) / MINUTE_SECONDS) * MINUTE_SECONDS;
    const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle';
    const text = ago === 0 ? 'now' : `−${duration(ago)}`;
    return svg('text', { x: x((slots - 1) * share), y: HEIGHT - 4, 'text-anchor': anchor }, text);
  });
  const latest = lines.map(({ name, values: all }) => `${name} ${format(all.at(-1) ?? 0)}`).join(', ');
  return el(
    'article',
    { class: 'card' },
    el('h3', {}, title),
    svg(
      'svg',
      { viewBox: `0 0 ${width} ${HEIGHT}`, role: 'img', 'aria-label': `${title}, at the end: ${latest}` },
      ...ticks,
      ...times,
      ...lines.map(({ tone, values: all }) => svg('path', { class: `line ${tone}`, d: pathOf(all) })),
    ),
    el(
      'ul',
      { class: 'legend' },
      ...lines.map(({ name, tone, values: all }) =>
        el('li', { class: tone }, el('span', {}, `${name} ${latestOf(all, format)}`)),
      ),
    ),
  );
}

const latestOf = (values, format) => {
  const latest = values.findLast((value) => value !== undefined);
  return latest === undefined ? '–' : format(latest);
};

function drawAggregations({ aggregations }) {
  if (aggregations === undefined) return [quiet('Unknown while the database is unavailable.')];
  const { slots, slotSeconds } = aggregations;
  if (slots.every(({ signed, failed }) => signed === 0 && failed === 0)) return [quiet('None.')];
  const seconds = slots.length * slotSeconds;
  const width = Math.max(280, Math.round(plotWidth('aggregations')));
  const perSecond = (name) => slots.map((slot) => slot[name] / slotSeconds);
  const lines = [
    { name: 'signed', tone: 'first', values: perSecond('signed') },
    { name: 'failed', tone: 'second', values: perSecond('failed') },
  ];
  const times = [
    { name: 'median', tone: 'first', values: slots.map(({ medianMs }) => medianMs) },
    { name: '95th percentile', tone: 'second', values: slots.map(({ p95Ms }) => p95Ms) },
    { name: '99th percentile', tone: 'third', values: slots.map(({ p99Ms }) => p99Ms) },
  ];
  const rate = (value) => `${numbers.format(value)}/s`;
  return [
    drawPlot({ title: 'Answers per second', lines, seconds, format: rate, width }),
    drawPlot({ title: 'Time to a signed message', lines: times, seconds, format: milliseconds, width }),
  ];
}

function drawDay({ day }) {
  if (day === undefined) return [quiet('Unknown while the database is unavailable.')];
  const { slots, slotSeconds } = day;
  if (slots.every(({ upPercentage }) => upPercentage === undefined)) {
    return [quiet('Nothing is on record yet.')];
  }
  const width = Math.max(280, Math.round(plotWidth('day')));
  const plot = (title, name, format, options = {}) =>
    drawPlot({
      title,
      lines: [{ name: 'newest', tone: 'first', values: slots.map((slot) => slot[name]) }],
      seconds: slots.length * slotSeconds,
      format,
      width,
      ...options,
    });
  return [
    plot('Minutes in which the service worked', 'upPercentage', percent, { highest: 100 }),
    plot('95 % of messages signed within', 'p95Ms', milliseconds),
    plot('Lag of the slowest index', 'lagSeconds', duration),
  ];
}

/** One unit of the drawing is one pixel, so that its text has the size of all text. */
function plotWidth(id) {
  const { clientWidth } = byId(id).firstElementChild ?? byId(id);
  return clientWidth - 28;
}

/* Processes */

function drawProcess(process) {
  const { api, queues, version, upSeconds, silentSeconds } = process;
  return el(
    'article',
    { class: 'card' },
    el(
      'div',
      { class: 'title' },
      el('h3', {}, api ? 'API' : 'worker'),
      isAlive(process) ? badge('up', 'good') : badge(`silent for ${duration(silentSeconds)}`, 'bad'),
    ),
    el('p', {}, queues.length === 0 ? 'no task queue' : queues.join(', ')),
    quiet(`version ${version}, for ${duration(upSeconds)}`),
  );
}

function drawProcesses({ processes }) {
  if (processes === undefined) return [quiet('Unknown while the database is unavailable.')];
  if (processes.length === 0) return [quiet('No process has reported yet.')];
  return processes.map(drawProcess);
}

/* The whole page */

const SECTIONS = {
  networks: drawNetworks,
  aggregations: drawAggregations,
  day: drawDay,
  indexes: drawIndexes,
  work: drawWork,
  processes: drawProcesses,
};

function problemOf({ name, status, message: text }) {
  if (status === 'up') return [];
  return [text === undefined ? `${name} unavailable` : `${name}: ${text}`];
}

const HEALTH = {
  ok: ['works', 'good'],
  degraded: ['degraded', 'warn'],
  error: ['not working', 'bad'],
  shutting_down: ['shutting down', 'warn'],
};

function draw(status) {
  const [text, tone] = HEALTH[status.status] ?? [status.status, 'warn'];
  const health = byId('health');
  health.textContent = [text, ...status.parts.flatMap(problemOf)].join(' · ');
  health.className = `badge ${tone}`;
  byId('version').textContent = `version ${status.version}`;
  showTemporalUi(status.temporalUiUrl);
  for (const [id, drawSection] of Object.entries(SECTIONS)) byId(id).replaceChildren(...drawSection(status));
}

function showTemporalUi(url) {
  const link = byId('temporal-ui');
  link.hidden = url === undefined || !/^https?:/.test(url);
  if (!link.hidden) link.setAttribute('href', url);
}

let shown;

addEventListener('resize', () => {
  if (shown === undefined) return;
  byId('aggregations').replaceChildren(...drawAggregations(shown));
  byId('day').replaceChildren(...drawDay(shown));
});

await keepDrawn({
  read: () => readJson(STATUS_URL, 'a status'),
  draw: (status) => {
    draw(status);
    shown = status;
  },
  pollMs: POLL_MS,
  onUnknown: () => (byId('health').textContent = 'unknown'),
});
