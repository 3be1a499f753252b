import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { randomBytes } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core';
import { z } from 'zod';
import { toHex } from '../../src/avalanche/ids/hex.js';
import { idFromString } from '../../src/avalanche/ids/id.js';
import { packAddressedCall } from '../../src/avalanche/warp/payload/addressed-call.js';
import { packUnsignedMessage } from '../../src/avalanche/warp/unsigned-message.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { StatusResponse } from '../../src/resources/status/dto/status.response.js';
import {
  OPERATION_MEMO,
  OPERATION_TYPE_MEMO,
  type OperationState,
} from '../../workflows/contracts/export-transactions.js';
import { accessibilityFindings } from '../support/harness/accessibility.js';
import { openBrowser, openPage } from '../support/harness/browser.js';
import { eventually } from '../support/harness/eventually.js';
import { TestService } from '../support/harness/service.js';

const TEMPORAL_UI_URL = 'http://temporal-ui.invalid:8080/';
const MESSAGES = 5;

const SIGNED = z.object({
  aggregations: z.object({ slots: z.array(z.object({ signed: z.number() })) }),
});

/** Hostile texts that a node may report. */
const HOSTILE = `<img src="x" onerror="document.title='taken'"><script>document.title='taken'</script>`;

const EMPTY: StatusResponse = {
  status: 'ok',
  version: '1.2.3',
  parts: [],
  networks: [],
  indexes: [],
  work: { operations: [], running: { operations: 0, aggregations: 0, nfts: 0 } },
  aggregations: {
    slotSeconds: 10,
    slots: Array.from({ length: 90 }, () => ({ signed: 0, failed: 0 })),
  },
  processes: [],
};

const STOPPED = {
  network: 'fuji',
  chain: 'p-chain',
  state: 'stopped',
  height: '41',
  tip: '98',
  percentage: 42.4,
  blocksLeft: '57',
  blocksPerSecond: 0,
  message: HOSTILE,
  silentSeconds: 7_500,
} as const;

const RUNNING: OperationState = {
  status: 'RUNNING',
  message: 'secret of a caller',
  code: null,
  nextDate: null,
  rows: 1_234,
  bytes: 0,
  percentage: 42.5,
  createdAt: Math.floor(Date.now() / 1_000) - 90,
  updatedAt: Math.floor(Date.now() / 1_000),
  expiresAt: null,
};

describe('the status page', () => {
  let sandbox: Sandbox;
  let service: TestService;
  let connection: Connection;
  let browser: Browser;

  beforeAll(async () => {
    const opening = openBrowser();
    sandbox = await startSandbox({ validators: 5 });
    service = await TestService.start({
      nodeUrl: sandbox.url,
      isHosted: true,
      workers: 1,
      env: { SANDBOX_NETWORKS: 'fuji', TEMPORAL_UI_URL },
    });
    connection = await Connection.connect({ address: service.temporalAddress });
    // Nobody serves its queue, so that it goes on running.
    await new Client({ connection }).workflow.start('exportTransactionsWorkflow', {
      workflowId: 'an-export',
      taskQueue: 'nobody',
      memo: { [OPERATION_MEMO]: RUNNING, [OPERATION_TYPE_MEMO]: 'TRANSACTION_EXPORT_EVM' },
    });
    for (let i = 0; i < MESSAGES; i++) {
      expect(await service.aggregate(newMessage())).toMatchObject({ status: 201 });
    }
    browser = await opening;
  });

  afterAll(async () => {
    await connection.close();
    await sandbox.stop();
  });

  const newMessage = () => ({
    message: toHex(
      packUnsignedMessage({
        networkId: sandbox.networkId,
        sourceChainId: idFromString(sandbox.cChainId),
        payload: packAddressedCall({ sourceAddress: randomBytes(20), payload: randomBytes(100) }),
      }),
    ),
  });

  const open = async (
    answer?: StatusResponse | ((route: Route) => Promise<void>),
    options: BrowserContextOptions = {},
  ): Promise<Page> => {
    const page = await openPage(browser, options);
    if (answer !== undefined) {
      const handle =
        typeof answer === 'function' ? answer : (route: Route) => route.fulfill({ json: answer });
      await page.route('**/v1/status', handle);
    }
    await page.goto(service.url);
    return page;
  };

  const textOf = (page: Page, id: string): Promise<string> => page.locator(id).innerText();

  it('shows networks with the stake connected, indexes, operations, and the processes of all machines', async () => {
    const page = await open();
    await page.getByText('5 of 5 validators').first().waitFor();
    await page.locator('#indexes').getByText('p-chain').waitFor();
    await page.locator('#work').getByText('42.5 %').waitFor();
    // The API may have started before the worker.
    await page.locator('#health').getByText('works', { exact: true }).waitFor();
    expect(await textOf(page, '#networks')).toMatch(/fuji\s+node up\s+sandbox[^]*100\.0 %/);
    expect(await textOf(page, '#work')).toContain('1,234 rows');
    // One that a busy machine has held up is silent for the moment.
    const shown = [/worker\s+up\s+signatures, indexing, exports, nfts/, /API\s+up\s+signatures\s/];
    await eventually('both processes are up', async () => {
      const processes = await textOf(page, '#processes');
      return shown.every((process) => process.test(processes));
    });
    expect(await page.getByText('OpenAPI page').getAttribute('href')).toBe('docs');
    expect(await page.getByText('Temporal Web UI').getAttribute('href')).toBe(TEMPORAL_UI_URL);
    expect(await page.content()).not.toContain(RUNNING.message);
  });

  it('plots the aggregations that were answered', async () => {
    // Shown are spans of ten seconds that are over.
    await eventually('the end of their last span', async () => {
      const { aggregations } = SIGNED.parse((await service.request('/v1/status')).body);
      return aggregations.slots.reduce((sum, { signed }) => sum + signed, 0) === MESSAGES;
    });
    const page = await open();
    const rate = page.getByRole('img', { name: /^Answers per second/ });
    await rate.waitFor();
    expect(await rate.locator('path').first().getAttribute('d')).toMatch(
      /^M[\d.]+ [\d.]+h0(L[\d.]+ [\d.]+){89}$/,
    );
    expect(await textOf(page, '#aggregations')).toMatch(/median [\d.,]+ m?s/);
  });

  it('plots the last day: what is not known is left blank', async () => {
    const slots = Array.from({ length: 96 }, (_, i) => ({
      signed: 0,
      failed: 0,
      ...(i < 90 ? {} : { upPercentage: i === 93 ? 50 : 100, lagSeconds: 7_200, p95Ms: 1_500 }),
    }));
    const page = await open({ ...EMPTY, day: { slotSeconds: 900, slots } });
    const up = page.getByRole('img', { name: /^Minutes in which the service worked/ });
    await up.waitFor();
    expect(await up.locator('path').first().getAttribute('d')).toMatch(/^M[\d.]+ 8\.0h0(L[\d.]+ [\d.]+){5}$/);
    expect(await textOf(page, '#day')).toMatch(/newest 100\.0 %[^]*newest 1\.5 s[^]*newest 2 h/);
    expect(await up.innerHTML()).toContain('−1 d');
    const none = await open({ ...EMPTY, day: { slotSeconds: 900, slots: slots.slice(0, 90) } });
    await none.getByText('Nothing is on record yet.').waitFor();
  });

  it('loads nothing from elsewhere, and keeps to a policy that lets nothing in', async () => {
    const page = await openPage(browser);
    const asked: string[] = [];
    const printed: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => printed.push(message.text()));
    page.on('pageerror', ({ message }) => printed.push(message));
    const answer = await page.goto(service.url);
    await page.getByText('5 of 5 validators').first().waitFor();
    expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(asked.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
    expect(printed).toEqual([]);
    const run = page.evaluate(`document.body.innerHTML = '<b>markup</b>'`);
    await expect(run).rejects.toThrow(/TrustedHTML/);
  });

  it('has an OpenAPI page beside it that asks the service, under a policy of its own', async () => {
    const page = await openPage(browser);
    const printed: string[] = [];
    page.on('console', (message) => printed.push(message.text()));
    page.on('pageerror', ({ message }) => printed.push(message));
    const answer = await page.goto(`${service.url}/docs`);
    expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/v1/live-check"]') });
    await operation.locator('.opblock-summary').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor();
    expect(printed).toEqual([]);
  });

  it('shows as text what nodes report, and an index that has stopped', async () => {
    const page = await open({
      ...EMPTY,
      networks: [{ network: HOSTILE, status: 'down', sandbox: false, message: HOSTILE }],
      indexes: [{ ...STOPPED, chainName: HOSTILE }],
      processes: [
        { api: false, queues: [HOSTILE], version: HOSTILE, upSeconds: 1, silentSeconds: 40, stake: [] },
      ],
    });
    await page.locator('#indexes').getByText('stopped').waitFor();
    expect(await textOf(page, '#networks')).toContain('node unavailable');
    expect(await textOf(page, '#processes')).toContain('silent for 40 s');
    expect(await textOf(page, '#indexes')).toMatch(/42\.4 %[^]*57 blocks left · silent for 2 h 5 min/);
    for (const id of ['#networks', '#indexes', '#processes']) {
      expect(await textOf(page, id)).toContain(HOSTILE);
    }
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toBe('Network Data Service');
  });

  it('links to nothing but web addresses', async () => {
    const page = await open({ ...EMPTY, temporalUiUrl: `javascript:document.title='taken'` });
    await page.getByText('version 1.2.3').waitFor();
    expect(await page.locator('#temporal-ui').isVisible()).toBe(false);
  });

  it('reports that the service does not answer, and goes on when it does again', async () => {
    const page = await open(EMPTY);
    await page.getByText('No index has started yet.').waitFor();
    expect(await page.locator('#trouble').isVisible()).toBe(false);
    await page.unroute('**/v1/status');
    await page.route('**/v1/status', (route) => route.abort());
    await page.getByText(/^The service does not answer\. The data shown is .* old\.$/).waitFor();
    expect(await textOf(page, '#indexes')).toBe('No index has started yet.');
    await page.unroute('**/v1/status');
    await page.route('**/v1/status', (route) => route.fulfill({ json: { ...EMPTY, status: 'error' } }));
    await page.locator('#trouble').waitFor({ state: 'hidden' });
    expect(await textOf(page, '#health')).toBe('not working');
  });

  it.each([
    [
      'with an error',
      { status: 500, json: { message: 'out of order' } },
      'The service answers 500: out of order.',
    ],
    [
      'with no status',
      { status: 200, body: 'hello' },
      'The service returned something that is not a status.',
    ],
  ])('reports that the service answers %s', async (_, answer, text) => {
    const page = await open((route) => route.fulfill(answer));
    await page.getByText(text).waitFor();
    expect(await textOf(page, '#health')).toBe('unknown');
  });

  it('reports what is not known while a part is away', async () => {
    const page = await open({
      status: 'error',
      version: '1.2.3',
      parts: [
        { name: 'database', status: 'down' },
        { name: 'temporal', status: 'down' },
      ],
      networks: [],
    });
    await page.getByText('not working · database unavailable · temporal unavailable').waitFor();
    for (const id of ['#indexes', '#aggregations', '#day', '#processes']) {
      expect(await textOf(page, id)).toBe('Unknown while the database is unavailable.');
    }
    expect(await textOf(page, '#work')).toBe('Unknown while Temporal is unavailable.');
  });

  it.each(['light', 'dark'] as const)(
    'can be read and used by everybody in %s colours',
    async (colorScheme) => {
      const options = { colorScheme, bypassCSP: true };
      const page = await open(undefined, options);
      await page.getByText('5 of 5 validators').first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
      const broken = await open({ ...EMPTY, status: 'degraded', indexes: [STOPPED] }, options);
      await broken.locator('#indexes').getByText('stopped').waitFor();
      expect(await accessibilityFindings(broken)).toEqual([]);
      await broken.route('**/v1/status', (route) => route.abort());
      await broken.getByText(/^The service does not answer\./).waitFor();
      expect(await accessibilityFindings(broken)).toEqual([]);
    },
  );

  it('fits a phone, and is dark where that is wanted', async () => {
    const size = { width: 360, height: 640 };
    const backgrounds = ['light', 'dark'].map(async (scheme) => {
      const page = await open(undefined, {
        viewport: size,
        colorScheme: scheme === 'dark' ? 'dark' : 'light',
      });
      await page.getByText('5 of 5 validators').first().waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    });
    expect(await Promise.all(backgrounds)).toEqual(['rgb(246, 247, 249)', 'rgb(18, 21, 27)']);
  });
});
