import { applyDecorators, Header } from '@nestjs/common';
import { API_KEY_HEADER } from './api-key-header.js';

/** Of a method whose answer is meant for its caller alone: no cache may keep it, or give it to someone with another key. */
export const Private = () =>
  applyDecorators(Header('cache-control', 'private, no-store'), Header('vary', API_KEY_HEADER));
