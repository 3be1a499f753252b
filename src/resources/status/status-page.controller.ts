import { Controller, Get, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Config } from '../../platform/config/config.module.js';
import { projectFolder } from '../../platform/config/project-folder.js';
import { notFound } from '../../platform/http/errors/api-error.js';

const FOLDER = 'src/resources/status/page';

/** Nothing but our own files: whatever a node or a contract may get onto the page stays text. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

/** The status page and the page of a subnet's signers: files that are sent as they are. */
@ApiExcludeController()
@Controller({ version: VERSION_NEUTRAL })
export class StatusPageController {
  private readonly files = new Map<string, string>();

  constructor(private readonly config: Config) {}

  @Get()
  page(@Res({ passthrough: true }) reply: FastifyReply): string | undefined {
    if (this.config.env.STATUS_PAGE) return this.send(reply, 'index.html', 'text/html');
    void reply.redirect('/docs', 302);
    return undefined;
  }

  @Get('status.js')
  script(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.send(reply, 'status.js', 'text/javascript');
  }

  /** The page itself reads its path; a wrong one shows what the API answers. */
  @Get('status/:network/subnets/:subnetId')
  signers(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.send(reply, 'signers.html', 'text/html');
  }

  @Get('signers.js')
  signersScript(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.send(reply, 'signers.js', 'text/javascript');
  }

  @Get('page.js')
  sharedScript(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.send(reply, 'page.js', 'text/javascript');
  }

  @Get('status.css')
  style(@Res({ passthrough: true }) reply: FastifyReply): string {
    return this.send(reply, 'status.css', 'text/css');
  }

  private send(reply: FastifyReply, name: string, type: string): string {
    if (!this.config.env.STATUS_PAGE) throw notFound('the status page is switched off');
    void reply.headers({ ...HEADERS, 'content-type': `${type}; charset=utf-8` });
    return this.read(name);
  }

  private read(name: string): string {
    const known = this.files.get(name);
    if (known !== undefined) return known;
    const text = readFileSync(join(projectFolder(), FOLDER, name), 'utf8');
    this.files.set(name, text);
    return text;
  }
}
