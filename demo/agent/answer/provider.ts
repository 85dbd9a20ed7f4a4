/** The answerer over an OpenAI-compatible host: streamed, with tools, cancelled when the turn is. */

import OpenAI from 'openai';
import type {
  ChatCompletionMessageFunctionToolCall,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { ProviderOptions } from '../options.ts';
import type { FoundPassage, Search } from '../retrieval/search.ts';
import { toTerms } from '../retrieval/terms.ts';
import { findTool, isServers, originOf, type Tool } from '../tools.ts';
import {
  type Answerer,
  type AnswerPort,
  type AnswerRequest,
  toCitedSource,
  toToolPause,
  type Usage,
} from './answerer.ts';
import { askAgain } from './askagain.ts';
import { withAttachedCut } from './attached.ts';
import { readArguments, toToldCall } from './calls.ts';
import { createCitations } from './citations.ts';
import { complete, HostRefused, toParameters } from './completion.ts';
import { withinContext } from './exchange.ts';
import { toDataBlock, toPrompt } from './prompt.ts';
import { estimateTokens, toSize } from './tokens.ts';

const maxToolRounds = 12;
/** Of one message; and so much of the context goes with each, whatever it asks for. */
const [mostCalls, tokensOfCall] = [32, 256];
/** Silence of the provider, not the length of an answer. */
const timeoutMs = 60_000;

/** What a paused turn of this answerer goes on from. */
interface State {
  /** The model's tool calls and their results so far, after the prompt. */
  exchange: ChatCompletionMessageParam[];
  /** Calls of the last message that have no result yet; the first is the one that waits. */
  pending: ChatCompletionMessageFunctionToolCall[];
  /** Whose tool each of them asks for, by its id: what is offered may be another's after a pause. */
  origins?: { id: string; origin: string }[];
  passages: FoundPassage[];
  rounds: number;
}

export function createProviderAnswerer(options: ProviderOptions, search: Search): Answerer {
  const client = new OpenAI({
    baseURL: options.host,
    apiKey: options.key ?? 'none',
    maxRetries: 0,
    timeout: timeoutMs,
    fetch: askAgain,
  });

  return {
    model: options.model,

    overhead(request) {
      const { passages } = begin(request, search);
      const sent = [toPrompt({ ...request, history: [], summary: '' }, passages), toAllTools(request)];
      return estimateTokens(JSON.stringify(sent));
    },

    async answer(asked, port, signal) {
      const whole = { ...asked, tools: toAllTools(asked) };
      const total: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
      const state = whole.resumed ? resume(whole) : begin(whole, search);
      let request = withAttachedCut(whole, state.passages);
      const citations = createCitations(
        state.passages.map((passage, index) => toCitedSource(passage, index + 1)),
        port.sources,
      );
      const prompt = toPrompt(request, state.passages);
      const fixed = toSize(JSON.stringify([prompt, request.tools]));
      let isRefused = false;
      for (;;) {
        const pause = await runPending(state, request, port);
        if (pause) return { ...pause, usage: total };
        const offersTools =
          request.reasoningMode !== 'standard' && request.tools.length > 0 && state.rounds < maxToolRounds;
        const answered = await complete(
          client,
          toParameters(
            options,
            request,
            [...prompt, ...withinContext(state.exchange, fixed, request.contextTokens)],
            offersTools,
          ),
          (delta) => {
            port.delta(delta);
            citations.read(delta);
          },
          port,
          signal,
          Math.min(mostCalls, Math.ceil(request.contextTokens / tokensOfCall)),
        ).catch((thrown: unknown) => {
          // One tool whose schema the host does not take would end every answer.
          if (!(thrown instanceof HostRefused) || !offersTools || !request.tools.some(isServers))
            throw thrown;
          return undefined;
        });
        if (!answered) {
          request = { ...request, tools: request.tools.filter((tool) => !isServers(tool)) };
          isRefused = true;
          continue;
        }
        // What failed without them too was refused for another reason.
        if (isRefused) port.toolsRefused();
        isRefused = false;
        const { text, calls, usage } = answered;
        total.prompt_tokens += usage?.prompt_tokens ?? 0;
        total.completion_tokens += usage?.completion_tokens ?? 0;
        total.total_tokens += usage?.total_tokens ?? 0;
        if (calls.length === 0 || !offersTools)
          return total.total_tokens > 0 ? { kind: 'done', usage: total } : { kind: 'done' };
        state.rounds += 1;
        const told = calls.map(toToldCall);
        state.exchange.push({ role: 'assistant', content: text === '' ? null : text, tool_calls: told });
        state.pending = calls;
        state.origins = calls.flatMap(({ id, function: { name } }) => {
          const tool = request.tools.find((one) => one.name === name);
          return tool ? [{ id, origin: originOf(tool) }] : [];
        });
      }
    },

    async summarise(earlier, messages, signal) {
      const text = messages.map(
        ({ role, content }) => `${role === 'user' ? 'Visitor' : 'Agent'}: ${content}`,
      );
      const answer = await client.chat.completions.create(
        {
          model: options.model,
          messages: [
            {
              role: 'system',
              content:
                'Summarise the conversation in at most 200 words: facts, names, numbers, open questions.',
            },
            {
              role: 'user',
              content: toDataBlock('conversation', 'To summarise.', [earlier, ...text].join('\n')),
            },
          ],
        },
        { signal },
      );
      return answer.choices[0]?.message.content ?? '';
    },
  };
}

const toAllTools = ({ tools, modelTools }: AnswerRequest): readonly Tool[] => [...tools, ...modelTools];

function begin(request: AnswerRequest, search: Search): State {
  const words = toTerms(request.question).flatMap(({ word, synonyms }) => [word, ...synonyms]);
  const scope = { botId: request.bot.uuid, ...request.scope };
  return { exchange: [], pending: [], passages: search.find(scope, words, request.scope.top), rounds: 0 };
}

/** A turn that another answerer paused has no state of ours: the call that it waited for is made up from the pause. */
function resume(request: AnswerRequest): State {
  const { tool, executionId, decision, state } = request.resumed!;
  const before = (state as State | undefined) ?? {
    exchange: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: executionId,
            type: 'function',
            function: { name: tool.name, arguments: JSON.stringify(tool.parameters) },
          },
        ],
      },
    ],
    pending: [],
    passages: [],
    rounds: 1,
  };
  const [decided, ...pending] = before.pending;
  return {
    ...before,
    pending,
    exchange: [
      ...before.exchange,
      { role: 'tool', tool_call_id: decided?.id ?? executionId, content: toToolContent(decision) },
    ],
  };
}

function toToolContent(decision: NonNullable<AnswerRequest['resumed']>['decision']): string {
  if (decision.kind === 'denied') return 'The visitor refused this tool call.';
  return JSON.stringify(decision.kind === 'answers' ? { answers: decision.answers } : decision.result);
}

/** Runs the automatic calls; stops at the first that somebody must approve. */
async function runPending(state: State, request: AnswerRequest, port: AnswerPort) {
  while (state.pending[0]) {
    const call = state.pending[0];
    const { name } = call.function;
    const origin = state.origins?.find(({ id }) => id === call.id)?.origin;
    const tool = origin === undefined ? undefined : findTool(request.tools, name, origin);
    const parameters = readArguments(call.function.arguments);
    const refused = tool && parameters ? tool.refuse?.(parameters) : undefined;
    if (tool && parameters && tool.approval === 'always' && !refused)
      return {
        kind: 'paused',
        tool: toToolPause(tool, parameters, 'The model asked for it.'),
        state,
      } as const;
    const content =
      tool && parameters
        ? JSON.stringify((refused ?? (await port.runTool(tool, parameters))).result)
        : origin !== undefined && !tool
          ? 'This tool is gone.'
          : 'There is no such tool, or its arguments are no JSON object.';
    state.exchange.push({ role: 'tool', tool_call_id: call.id, content });
    state.pending.shift();
  }
  return undefined;
}
