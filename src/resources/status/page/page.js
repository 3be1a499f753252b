/** Shared by the pages: how elements are made, and how they keep themselves up to date. */

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children.filter((child) => child !== undefined && child !== ''));
  return node;
}

export const el = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children);
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

export const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
/** Heights come as decimal text. */
export const count = (value) => numbers.format(typeof value === 'string' ? BigInt(value) : value);
export const percent = (value) => `${value.toFixed(1)} %`;
export const blocks = (value) => `${count(value)} ${value === '1' ? 'block' : 'blocks'}`;

export function duration(seconds) {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  const at = units.findIndex(([, size]) => seconds >= size);
  if (at === -1) return '0 s';
  const [[unit, size], next] = [units[at], units[at + 1]];
  const whole = `${Math.floor(seconds / size)} ${unit}`;
  const rest = next === undefined ? 0 : Math.floor((seconds % size) / next[1]);
  return rest === 0 ? whole : `${whole} ${rest} ${next[0]}`;
}

export function milliseconds(value) {
  if (value === undefined) return '–';
  return value < 1_000 ? `${numbers.format(value)} ms` : `${numbers.format(value / 1_000)} s`;
}

export const badge = (text, tone) => el('span', { class: `badge ${tone}` }, text);
export const quiet = (text) => el('p', { class: 'quiet' }, text);
export const message = (text, tone = 'quiet') => el('p', { class: `message ${tone}` }, text);

export function bar(label, percentage) {
  const isComplete = percentage === 100;
  const attributes = {
    max: 100,
    value: percentage,
    'aria-label': label,
    ...(isComplete ? { class: 'complete' } : {}),
  };
  return el('div', { class: 'bar' }, el('progress', attributes), el('span', {}, percent(percentage)));
}

const PATIENCE_MS = 15_000;

/** Of what the service answers the JSON; throws an Error for people. `what`: how the answer is called. */
export async function readJson(url, what) {
  const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  if (response === undefined) throw new Error('The service does not answer.');
  const body = await response.json().catch(() => undefined);
  if (!response.ok) {
    throw new Error(`The service answers ${response.status}: ${body?.message ?? 'no reason given'}.`);
  }
  if (body === undefined) throw new Error(`The service returned something that is not ${what}.`);
  return body;
}

const visible = () =>
  new Promise((resolve) => {
    if (!document.hidden) resolve();
    else document.addEventListener('visibilitychange', () => resolve(), { once: true });
  });

/** Reads and draws again and again while the page is visible, and shows how old the data is while that fails. Never ends. */
export async function keepDrawn({ read, draw, pollMs, onUnknown = () => undefined }) {
  let drawnAt;
  const trouble = byId('trouble');
  const complain = (text) => {
    const age = () => duration((performance.now() - drawnAt) / 1_000);
    const full = drawnAt === undefined ? text : `${text} The data shown is ${age()} old.`;
    // A screen reader reads it out each time that it changes.
    if (trouble.textContent !== full) trouble.textContent = full;
    trouble.hidden = false;
    byId('main').classList.toggle('stale', true);
    if (drawnAt === undefined) onUnknown();
  };
  for (;;) {
    await visible();
    try {
      draw(await read());
      drawnAt = performance.now();
      trouble.hidden = true;
      byId('main').classList.toggle('stale', false);
    } catch (error) {
      complain(error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
