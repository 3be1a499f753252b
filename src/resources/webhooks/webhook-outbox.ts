import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import {
  type DeliverWebhookInput,
  makeDeliverWebhookWorkflowId,
  WEBHOOKS_QUEUE,
} from '../../../workflows/contracts/deliver-webhook.js';
import type { deliverWebhookWorkflow } from '../../../workflows/deliver-webhook.workflow.js';
import { ServedQueues } from '../../platform/temporal/served-queues.module.js';
import { TemporalClient } from '../../platform/temporal/temporal.module.js';
import { WebhookRepository } from './webhook.repository.js';

const LOOK_EVERY_MS = 1_000;
const FORGET_EVERY_MS = 3_600_000;
const WEBHOOKS_AT_ONCE = 10;
const RETRY_MS = 10_000;

/** Starts a workflow for each event that waits. The id of the event makes a second start the first one. */
@Injectable()
export class WebhookOutbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(WebhookOutbox.name);
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private isStopped = false;
  private hasFailed = false;
  private forgottenAt = -Infinity;

  constructor(
    private readonly webhooks: WebhookRepository,
    private readonly temporal: TemporalClient,
    private readonly queues: ServedQueues,
  ) {}

  onApplicationBootstrap(): void {
    if (this.queues.includes(WEBHOOKS_QUEUE)) this.looking = this.look();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    let written = 0;
    let started = 0;
    try {
      written = await this.webhooks.writeMessageEvents();
      started = await this.webhooks.takeEvents(WEBHOOKS_AT_ONCE, async (events) => {
        await Promise.all(events.map((event) => this.start({ ...event, retryMs: RETRY_MS })));
      });
      await this.forget();
      this.hasFailed = false;
    } catch (error) {
      if (!this.hasFailed) this.logger.warn({ err: error }, 'webhooks wait');
      this.hasFailed = true;
    }
    if (this.isStopped) return;
    const waitMs = written + started > 0 ? 0 : LOOK_EVERY_MS;
    this.timer = setTimeout(() => {
      this.looking = this.look();
    }, waitMs).unref();
  }

  private async forget(): Promise<void> {
    if (performance.now() - this.forgottenAt < FORGET_EVERY_MS) return;
    await this.webhooks.forgetEvents();
    this.forgottenAt = performance.now();
  }

  private async start(input: DeliverWebhookInput): Promise<void> {
    const started = this.temporal.start<typeof deliverWebhookWorkflow>('deliverWebhookWorkflow', {
      workflowId: makeDeliverWebhookWorkflowId(input),
      taskQueue: WEBHOOKS_QUEUE,
      args: [input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      staticSummary: `${input.event.type} to ${input.webhookId}`,
      // Receivers of one organisation do not keep those of another waiting.
      priority: { fairnessKey: input.webhookId },
    });
    await started.catch((error: unknown) => {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    });
  }
}
