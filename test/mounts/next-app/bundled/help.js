'use client';
import { defineElement } from 'porchlight/widget';

defineElement();

export function Help() {
  return <porchlight-chat bot-id="bot-1" helper="/porchlight" style={{ height: '70vh' }} />;
}
