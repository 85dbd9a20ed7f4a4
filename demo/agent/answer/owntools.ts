/** The service's own tools, which a model is offered beside the site's: what it keeps of the visitor. */

import { memoryTypes } from '../store/memories.ts';
import type { Tool } from '../tools.ts';
import type { AnswerRequest } from './answerer.ts';

/** Nothing of them is offered in standard mode. */
export function withOwnTools(request: AnswerRequest): AnswerRequest {
  const { memories, contacts, tools, reasoningMode } = request;
  if (reasoningMode === 'standard') return request;
  const own = [...(memories ? [toMemoryTool(memories)] : []), toContactTool(contacts)];
  return { ...request, tools: [...tools, ...own] };
}

function toMemoryTool(memories: NonNullable<AnswerRequest['memories']>): Tool {
  return {
    name: 'save_memory',
    title: 'Remember',
    description: 'Remembers something about this visitor for later conversations.',
    approval: 'auto',
    parameters: {
      type: 'object',
      properties: { content: { type: 'string' }, type: { type: 'string', enum: memoryTypes } },
      required: ['content'],
    },
    async run({ content, type }) {
      if (typeof content !== 'string' || content.trim() === '')
        return { ok: false, result: { error: 'content: a text is needed.' } };
      memories.add(content, memoryTypes.find((one) => one === type) ?? 'semantic');
      return { ok: true, result: { saved: true } };
    },
  };
}

function toContactTool(contacts: AnswerRequest['contacts']): Tool {
  return {
    name: 'save_contact',
    title: 'Keep a contact',
    description: 'Keeps the e-mail address and name that the visitor gives, so that the team can write back.',
    approval: 'auto',
    parameters: {
      type: 'object',
      properties: { email: { type: 'string' }, name: { type: 'string' }, chat_id: { type: 'string' } },
      required: ['email'],
    },
    async run({ email, name, chat_id }) {
      const address = typeof email === 'string' ? email.trim() : '';
      if (!/^[^\s@<>,;]+@[^\s@<>,;]+$/.test(address) || address.length > maxEmailChars)
        return { ok: false, result: { error: 'email: an e-mail address is needed.', code: 'invalid_email' } };
      const id = contacts.save(
        { email: address, name: typeof name === 'string' && name.trim() !== '' ? name.slice(0, 200) : null },
        typeof chat_id === 'string' ? chat_id : undefined,
      );
      return id === undefined
        ? {
            ok: false,
            result: { error: 'A contact is kept for the chat that it was left in.', code: 'forbidden' },
          }
        : { ok: true, result: { id } };
    },
  };
}

/** Of an address in SMTP. */
const maxEmailChars = 254;
