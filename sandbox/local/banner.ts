import type { EmbeddedOptions } from './embedded-options.js';
import type { EmbeddedServers } from './embedded-service.js';
import {
  type Examples,
  makeAggregationCurl,
  makeExportCurl,
  makeMessagesCurl,
  makeNftCurl,
} from './example-request.js';

export interface BannerFacts extends EmbeddedServers {
  options: EmbeddedOptions;
  apiUrl: string;
  /** Undefined when there is no node to take them from. */
  examples: Examples | undefined;
}

const LABEL_WIDTH = 18;

/** The one thing to read after `npm start`. */
export function makeBanner(facts: BannerFacts): string {
  const lines = [
    'The network data service is up.',
    '',
    ...describeAddresses(facts),
    ...describeSteppedOver(facts),
    '',
    ...describeNetwork(facts),
    ...describeExport(facts),
    ...describeMessages(facts),
    ...describeNft(facts),
    'Ctrl-C stops everything. The next start resumes where this one stops.',
  ];
  return `\n${lines.map((line) => `  ${line}`.trimEnd()).join('\n')}\n`;
}

function describeNetwork({ apiUrl, examples, options: { exampleNetwork: network } }: BannerFacts): string[] {
  if (network === undefined) return [];
  return [
    'Request signatures:',
    '',
    examples === undefined
      ? '  (no node has answered yet: see the README for a request)'
      : makeAggregationCurl(apiUrl, network, examples.message),
    '',
    'List the validators of the P-chain (the health answer shows how far it is indexed):',
    '',
    `curl -sS '${apiUrl}/v1/networks/${network}/validators?validationStatus=active'`,
    '',
  ];
}

function describeExport({ apiUrl, examples }: BannerFacts): string[] {
  if (examples?.export === undefined) return [];
  return [
    'Export the transfers of an address on the C-chain (whole once it is indexed, in some seconds: /v1/chains), and poll the operation',
    'until it has a downloadUrl:',
    '',
    makeExportCurl(apiUrl, examples.export),
    `curl -sS ${apiUrl}/v1/operations/{operationId}`,
    '',
  ];
}

function describeMessages({ apiUrl, examples }: BannerFacts): string[] {
  if (examples?.sender === undefined) return [];
  return [
    'List messages between chains with their outcome:',
    '',
    makeMessagesCurl(apiUrl, examples.sender),
    '',
  ];
}

function describeNft({ apiUrl, examples }: BannerFacts): string[] {
  if (examples?.nft === undefined) return [];
  return ['Get an NFT with its metadata:', '', makeNftCurl(apiUrl, examples.nft), ''];
}

function describeAddresses({ options, apiUrl, postgres, temporal, sandbox }: BannerFacts): string[] {
  const rows: [label: string, text: string][] = [
    ['API', apiUrl],
    ['Status page', `${apiUrl}/`],
    ['OpenAPI page', `${apiUrl}/docs`],
    ['Temporal Web UI', temporal?.uiUrl ?? process.env.TEMPORAL_UI_URL ?? '(of the external Temporal)'],
    ['Temporal', temporal?.address ?? `${options.temporalAddress ?? ''} (external)`],
    ['Postgres', postgres === undefined ? 'external (DATABASE_URL)' : maskPassword(postgres.url)],
    ...(postgres === undefined
      ? []
      : [['', `password in ${postgres.passwordFile}`] satisfies [string, string]]),
    ...describeNetworks(options, sandbox?.url),
    ['Data folder', options.dataFolder],
  ];
  return rows.map(([label, text]) => `${label.padEnd(LABEL_WIDTH)}${text}`);
}

function describeNetworks(options: EmbeddedOptions, sandboxUrl: string | undefined): [string, string][] {
  const rows = options.realNetworks.map(({ name, hasNode }): [string, string] => [
    name,
    hasNode ? 'the configured node, and the validators' : 'the validators, without a node',
  ]);
  if (sandboxUrl === undefined) return rows;
  const names = options.sandboxNetworks.join(', ');
  const text = `SANDBOX: simulated validators at ${sandboxUrl}, not the real network`;
  return [...rows, [names, text]];
}

function maskPassword(url: string): string {
  const masked = new URL(url);
  masked.password = '***';
  return masked.href;
}

function describeSteppedOver({ options, apiUrl, postgres, temporal, sandbox }: BannerFacts): string[] {
  const { ports } = options;
  const pairs: [name: string, wanted: number, taken: number | null | undefined][] = [
    ['API', ports.api, Number(new URL(apiUrl).port)],
    ['Temporal', ports.temporal, temporal?.port],
    ['Temporal Web UI', ports.temporalUi, temporal?.uiPort],
    ['Postgres', ports.postgres, postgres?.port],
    ['sandbox', ports.sandbox, sandbox?.port],
  ];
  const steppedOver = pairs
    .filter(([, wanted, taken]) => wanted !== 0 && taken != null && taken !== wanted)
    .map(([name, wanted, taken]) => `${name} on ${String(taken)} instead of ${wanted}`);
  return steppedOver.length === 0 ? [] : ['', `Some ports were busy: ${steppedOver.join(', ')}.`];
}
