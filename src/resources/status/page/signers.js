/**
 * Draws who of a subnet would sign. Whatever comes from outside becomes text, never markup: causes repeat texts of validators.
 */

import {
  badge,
  bar,
  byId,
  count,
  duration,
  el,
  keepDrawn,
  message,
  milliseconds,
  quiet,
  readJson,
} from './page.js';

const POLL_MS = 10_000;
/** Rows of the page; the answer of the API has all. */
const MAX_ROWS = 200;

const [, root, network, subnetId] = /^(.*\/)status\/([^/]+)\/subnets\/([^/]+)\/?$/.exec(location.pathname);
const ANSWER_URL = `${root}v1/signatureAggregator/${network}/subnets/${subnetId}/signers`;

const TEXTS = {
  signing: ['signs', 'good'],
  untested: ['not asked yet', 'busy'],
  failing: ['fails', 'bad'],
  wrong_key: ['wrong key', 'bad'],
  unreachable: ['unreachable', 'bad'],
  not_observed: ['not observed', 'warn'],
  no_balance: ['no balance', 'bad'],
  no_key: ['no key', 'bad'],
};

const ago = (seconds) => duration(Math.max(0, Date.now() / 1_000 - seconds));

function balanceOf({ balance, balanceLastsUntil }) {
  if (balance === undefined) return '';
  const lasts =
    balanceLastsUntil === undefined ? '' : `, for ${duration(balanceLastsUntil - Date.now() / 1_000)}`;
  return `balance ${count(Number(balance) / 1e9)} AVAX${lasts}`;
}

function factsOf(validator) {
  const { connectionSince, state, version, lastAnswer } = validator;
  const isAway = state === 'unreachable';
  return [
    connectionSince === undefined ? '' : `${isAway ? 'away' : 'connected'} for ${ago(connectionSince)}`,
    lastAnswer === undefined
      ? ''
      : `last signature ${ago(lastAnswer.timestamp)} ago in ${milliseconds(lastAnswer.latencyMs)}`,
    version ?? '',
    balanceOf(validator),
  ].filter((fact) => fact !== '');
}

/** A failure that is no fault of the validator is shown, too. */
function troubleOf({ cause, lastRefusal, state }) {
  if (cause !== undefined) return message(cause, TEXTS[state]?.[1]);
  if (lastRefusal === undefined) return '';
  return message(`${ago(lastRefusal.timestamp)} ago: ${lastRefusal.message}`);
}

function drawValidator(validator) {
  const { nodeId, state, percentage, addresses, validationId } = validator;
  const [text, tone] = TEXTS[state] ?? [state, 'warn'];
  const names = [validationId === undefined ? '' : `validation ${validationId}`, ...addresses];
  return el(
    'div',
    { class: 'row signer' },
    el('span', { class: 'name' }, nodeId ?? 'not named'),
    badge(text, tone),
    bar('share of the weight', percentage),
    el('span', { class: 'facts' }, factsOf(validator).join(' · ')),
    message(names.filter((name) => name !== '').join(' · ')),
    troubleOf(validator),
  );
}

function drawValidators({ validators }) {
  if (validators.length === 0) return [quiet('The subnet has no validators.')];
  const more = validators.length - MAX_ROWS;
  return [
    el('article', { class: 'card group' }, ...validators.slice(0, MAX_ROWS).map(drawValidator)),
    ...(more > 0 ? [quiet(`And ${count(more)} more.`)] : []),
  ];
}

function drawOutlook({ signingPercentage, provenPercentage, quorumPercentage, losses }) {
  const { count: lost, nodeIds } = losses;
  return [
    el(
      'article',
      { class: 'card' },
      el('p', {}, 'Would sign now'),
      bar('would sign now', signingPercentage),
      el('p', {}, 'Has signed lately'),
      bar('has signed lately', provenPercentage),
      lost === 0
        ? message(`${quorumPercentage} % cannot be reached.`, 'bad')
        : message(
            `${quorumPercentage} % is lost with ${lost === 1 ? 'this validator' : `these ${lost}`}: ${nodeIds.join(', ')}`,
          ),
    ),
  ];
}

function draw(answer) {
  const verdict = byId('verdict');
  verdict.textContent = answer.isQuorumMet ? 'enough sign' : 'too few sign';
  verdict.className = `badge ${answer.isQuorumMet ? 'good' : 'bad'}`;
  byId('outlook').replaceChildren(...drawOutlook(answer));
  byId('validators').replaceChildren(...drawValidators(answer));
}

byId('subnet').textContent = `${network}, subnet ${subnetId}`;
byId('other').addEventListener('submit', (event) => {
  event.preventDefault();
  const wanted = new FormData(event.target).get('subnet').trim();
  location.assign(`${root}status/${network}/subnets/${encodeURIComponent(wanted)}`);
});

await keepDrawn({
  read: () => readJson(ANSWER_URL, 'a list of signers'),
  draw,
  pollMs: POLL_MS,
  onUnknown: () => (byId('verdict').textContent = 'unknown'),
});
