import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { PRIMARY_NETWORK_ID } from '../../src/avalanche/ids/id.js';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.js';
import type { SignersResponse } from '../../src/resources/signers/dto/signers.response.js';
import { accessibilityFindings } from '../support/harness/accessibility.js';
import { openBrowser, openPage } from '../support/harness/browser.js';
import { TestService } from '../support/harness/service.js';

/** A refusal of somebody who means ill. */
const HOSTILE = `<img src="x" onerror="document.title='taken'"><script>document.title='taken'</script>`;

const AN_HOUR_AGO = Math.floor(Date.now() / 1_000) - 3_600;

const ANSWER: SignersResponse = {
  subnetId: PRIMARY_NETWORK_ID,
  pChainHeight: '7',
  totalWeight: '100',
  quorumPercentage: 67,
  signingPercentage: 70,
  provenPercentage: 40,
  isQuorumMet: true,
  losses: { count: 1, nodeIds: ['NodeID-a'] },
  validators: [
    {
      nodeId: 'NodeID-a',
      validationId: 'a-validation',
      weight: '70',
      percentage: 70,
      state: 'signing',
      connectionSince: AN_HOUR_AGO,
      version: 'avalanchego/1.15.0',
      addresses: ['203.0.113.7'],
      lastAnswer: { timestamp: AN_HOUR_AGO, latencyMs: 85 },
      balance: '2500000000',
      // Some hours more than the days that are told.
      balanceLastsUntil: Math.floor(Date.now() / 1_000) + 86_400 * 3 + 6 * 3_600,
    },
    {
      nodeId: 'NodeID-b',
      weight: '30',
      percentage: 30,
      state: 'failing',
      cause: HOSTILE,
      addresses: [HOSTILE],
      lastRefusal: { timestamp: AN_HOUR_AGO, message: HOSTILE },
    },
  ],
};

describe("the page of a subnet's signers", () => {
  let sandbox: Sandbox;
  let service: TestService;
  let browser: Browser;

  beforeAll(async () => {
    const opening = openBrowser();
    sandbox = await startSandbox({ validators: 5 });
    service = await TestService.start({ nodeUrl: sandbox.url, isHosted: true });
    browser = await opening;
  });

  afterAll(() => sandbox.stop());

  const open = async (answer?: SignersResponse, options: BrowserContextOptions = {}): Promise<Page> => {
    const page = await openPage(browser, options);
    if (answer !== undefined) {
      await page.route('**/v1/signatureAggregator/**', (route) => route.fulfill({ json: answer }));
    }
    await page.goto(`${service.url}/status/fuji/subnets/${PRIMARY_NETWORK_ID}`);
    return page;
  };

  const textOf = (page: Page, id: string): Promise<string> => page.locator(id).innerText();

  it.each(['light', 'dark'] as const)(
    'can be read and used by everybody in %s colours',
    async (colorScheme) => {
      const page = await open(ANSWER, { colorScheme, bypassCSP: true });
      await page.getByText('NodeID-b').first().waitFor();
      expect(await accessibilityFindings(page)).toEqual([]);
    },
  );

  it('is linked from the status page, and shows the validators of the network', async () => {
    const page = await openPage(browser);
    await page.goto(service.url);
    await page.getByText('Who would sign').click();
    await page.getByText(sandbox.validators[0]?.nodeId ?? '').waitFor();
    expect(await page.locator('#validators .row').count()).toBe(5);
    expect(await textOf(page, '#subnet')).toBe(`fuji, subnet ${PRIMARY_NETWORK_ID}`);
    await page.getByText('Status', { exact: true }).click();
    await page.getByText('Signature aggregation').waitFor();
  });

  it('leads to another subnet, and explains why there is nothing to show', async () => {
    const page = await open();
    await page.getByLabel('Another subnet').fill(` ${sandbox.l1SubnetId} `);
    await page.getByRole('button', { name: 'Show' }).click();
    await page
      .getByText(/^validation /)
      .first()
      .waitFor();
    expect(await textOf(page, '#subnet')).toBe(`fuji, subnet ${sandbox.l1SubnetId}`);
    await page.getByLabel('Another subnet').fill('me');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText(/^The service answers 400: subnetId: /).waitFor();
    expect(await textOf(page, '#verdict')).toBe('unknown');
  });

  it('shows who signs, who does not and why, and what the quorum survives', async () => {
    const page = await open(ANSWER);
    await page.getByText('enough sign').waitFor();
    expect(await textOf(page, '#outlook')).toMatch(
      /70\.0 %[^]*40\.0 %[^]*67 % is lost with this validator: NodeID-a/,
    );
    const [first, second] = await page.locator('#validators .row').allInnerTexts();
    expect(first).toMatch(/NodeID-a\s+signs\s+70\.0 %/);
    expect(first).toMatch(/connected for 1 h.* · last signature 1 h.* ago in 85 ms · avalanchego\/1\.15\.0/);
    expect(first).toContain('balance 2.5 AVAX, for 3 d');
    expect(first).toContain('validation a-validation · 203.0.113.7');
    expect(second).toMatch(/NodeID-b\s+fails\s+30\.0 %/);
    const few = { ...ANSWER, isQuorumMet: false, losses: { count: 0, nodeIds: [] } };
    const poor = await open(few);
    await poor.getByText('too few sign').waitFor();
    expect(await textOf(poor, '#outlook')).toContain('67 % cannot be reached.');
  });

  it('shows at most 200 validators, and how many more there are', async () => {
    const validators = Array.from({ length: 1_203 }, () => ANSWER.validators).flat();
    const page = await open({ ...ANSWER, validators });
    await page.getByText('And 2,206 more.').waitFor();
    expect(await page.locator('#validators .row').count()).toBe(200);
  });

  it('shows as text what validators report, loads nothing from elsewhere, and keeps to its policy', async () => {
    const page = await openPage(browser);
    const asked: string[] = [];
    const printed: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => printed.push(message.text()));
    page.on('pageerror', ({ message }) => printed.push(message));
    await page.route('**/v1/signatureAggregator/**', (route) => route.fulfill({ json: ANSWER }));
    const answer = await page.goto(`${service.url}/status/fuji/subnets/${PRIMARY_NETWORK_ID}`);
    await page.getByText('enough sign').waitFor();
    expect(await textOf(page, '#validators')).toContain(HOSTILE);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(answer?.headers()['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(asked.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
    expect(printed).toEqual([]);
  });

  it('fits a phone, and is dark where that is wanted', async () => {
    const size = { width: 360, height: 640 };
    const backgrounds = (['light', 'dark'] as const).map(async (colorScheme) => {
      const page = await open(ANSWER, { viewport: size, colorScheme });
      await page.getByText('enough sign').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(size.width);
      return page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    });
    expect(await Promise.all(backgrounds)).toEqual(['rgb(246, 247, 249)', 'rgb(18, 21, 27)']);
  });
});
