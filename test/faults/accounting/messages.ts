import { z } from 'zod';
import type { Caller } from '../load/caller.js';
import { MESSAGE_SENDERS, messagesUpTo } from '../topology/made-chains.js';
import type { Topology } from '../topology/topology.js';
import type { Verdict } from './verdict.js';

const PAGE_SIZE = 100;

const PageSchema = z.object({
  messages: z.array(z.object({ messageId: z.string(), status: z.string(), messageExecuted: z.boolean() })),
  nextPageToken: z.string().optional(),
});

/** Whether the lists, walked page by page, have each message once and know what has become of it. */
export async function compareMessages(topology: Topology, caller: Caller): Promise<Verdict> {
  const { tip } = topology.networks;
  const known = messagesUpTo(topology.chains, tip);
  const expected = known.map(
    ({ id, deliveredAt }) => `${bareOf(id)} ${deliveredAt <= tip ? 'delivered true' : 'pending false'}`,
  );
  const found: string[] = [];
  for (const sender of MESSAGE_SENDERS) found.push(...(await walk(topology, caller, sender)));
  const lost = expected.filter((message) => !found.includes(message));
  const surplus =
    found.length - new Set(found).size + found.filter((each) => !expected.includes(each)).length;
  return {
    what: 'interchain messages are each listed once, with what became of them',
    holds: lost.length === 0 && surplus === 0,
    details: `${expected.length} messages, ${lost.length} lost, ${surplus} doubled or wrong ${lost.slice(0, 3).join('; ')}`,
  };
}

async function walk({ apis }: Topology, caller: Caller, sender: string): Promise<string[]> {
  const messages: string[] = [];
  let pageToken = '';
  for (;;) {
    const [api] = apis;
    if (api === undefined) throw new Error('no API');
    const { outcome, body } = await caller.ask(api, {
      kind: 'messages',
      route: '/v1/icm/addresses/{address}/messages',
      path: `/v1/icm/addresses/${sender}/messages?pageSize=${PAGE_SIZE}&pageToken=${encodeURIComponent(pageToken)}`,
    });
    if (outcome !== 200) throw new Error(`messages of ${sender}: ${outcome} ${body}`);
    const page = PageSchema.parse(JSON.parse(body));
    messages.push(
      ...page.messages.map(
        ({ messageId, status, messageExecuted }) => `${messageId} ${status} ${messageExecuted}`,
      ),
    );
    if (page.nextPageToken === undefined) return messages;
    pageToken = page.nextPageToken;
  }
}

function bareOf(hash: string): string {
  return hash.slice('0x'.length);
}
