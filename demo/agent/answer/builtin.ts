/** The built-in answerer: no language model; it quotes the site's pages and calls the shop's tools. */

import type { Search } from '../retrieval/search.ts';
import type { Tool } from '../tools.ts';
import {
  type Answerer,
  type AnswerOutcome,
  type AnswerPort,
  type AnswerRequest,
  toToolPause,
} from './answerer.ts';
import { createLookup } from './lookup.ts';
import { cutToTokens, type Pace, sayWords } from './pace.ts';
import { escapeMarkdown, toOrderAnswer, toStockAnswer, toToolAnswer } from './phrase.ts';
import {
  asksForOrder,
  readOrderNumber,
  readSmallTalk,
  readStockQuestion,
  type SmallTalk,
} from './question.ts';
import { summariseByFirstSentences } from './summary.ts';

export const builtinModel = 'built-in';

export function createBuiltinAnswerer(search: Search, pace: Pace): Answerer {
  const lookup = createLookup(search);

  return {
    model: builtinModel,
    async summarise(earlier, messages) {
      return summariseByFirstSentences(earlier, messages);
    },

    async answer(request, port, signal) {
      const say = (text: string) =>
        sayWords(cutToTokens(text, request.overrides.maxReplyTokens), port.delta, pace, signal);
      const done: AnswerOutcome = { kind: 'done' };

      async function answerFromPages(chosen: readonly string[]): Promise<AnswerOutcome> {
        const found = lookup(request, chosen);
        if (request.reasoningMode === 'agent') port.reasoning(found.reasoning);
        if (found.kind === 'ambiguous') return toQuestion(found.options);
        if (found.sources.length > 0) port.sources(found.sources);
        await say(found.text);
        return done;
      }

      if (request.resumed) {
        const { tool, decision } = request.resumed;
        if (decision.kind === 'answers') return answerFromPages(decision.answers);
        await say(decision.kind === 'denied' ? toDenied(tool.name) : toResultText(tool, decision));
        return done;
      }

      const talk = readSmallTalk(request.question);
      if (talk) {
        await say(toTalk(talk, request.bot.name));
        return done;
      }

      const orderTool = request.tools.find(({ name }) => name === 'order_status');
      const orderNumber = readOrderNumber(request.question);
      if (orderTool && orderNumber !== undefined) {
        const pause = await callTool(orderTool, { orderNumber }, 'The question names an order number.', port);
        if ('kind' in pause) return pause;
        await say(toOrderAnswer(orderNumber, pause.ok, pause.result));
        return done;
      }
      if (orderTool && asksForOrder(request.question)) {
        await say('Which order is it? Send me its number, for example LF-10234, and I can look it up.');
        return done;
      }

      const stockTool = request.tools.find(({ name }) => name === 'stock');
      const product = readStockQuestion(request.question);
      if (stockTool && product !== undefined) {
        const outcome = await callTool(stockTool, { product }, 'The question is about stock.', port);
        if ('kind' in outcome) return outcome;
        if (outcome.ok) {
          await say(toStockAnswer(product, outcome.result));
          return done;
        }
        // Not a product of the shop's, or the tool is down: the pages may still say something.
      }
      return answerFromPages([]);
    },
  };
}

/** Runs an automatic tool; for any other one, the pause. */
async function callTool(
  tool: Tool,
  parameters: Record<string, unknown>,
  reasoning: string,
  port: AnswerPort,
) {
  if (tool.approval === 'auto') return port.runTool(tool, parameters);
  return { kind: 'paused', tool: toToolPause(tool, parameters, reasoning) } as const;
}

function toQuestion(options: string[]): AnswerOutcome {
  return {
    kind: 'paused',
    tool: {
      name: 'ask_user',
      title: 'Question',
      description: 'Asks the visitor what is meant.',
      parameters: { questions: [{ question: 'Which of these do you mean?', options }] },
      reasoning: 'Several pages fit the question about equally.',
      builtIn: true,
    },
  };
}

function toDenied(tool: string): string {
  if (tool === 'order_status') return 'All right, I did not look up the order.';
  return tool === 'ask_user'
    ? 'All right. Ask me something else whenever you like.'
    : 'All right, I did not do that.';
}

function toResultText(
  tool: NonNullable<AnswerRequest['resumed']>['tool'],
  { ok, result }: { ok: boolean; result: unknown },
): string {
  if (tool.name === 'order_status') {
    const { orderNumber } = tool.parameters;
    return toOrderAnswer(typeof orderNumber === 'string' ? orderNumber : 'without a number', ok, result);
  }
  if (tool.name === 'stock' && ok) return toStockAnswer(String(tool.parameters.product ?? ''), result);
  return toToolAnswer(tool.title, ok, result);
}

function toTalk(talk: SmallTalk, name: string): string {
  const bot = escapeMarkdown(name);
  if (talk === 'thanks') return 'You are welcome.';
  const what =
    "I quote this site's pages and can call the shop's tools. I am a program without a language model.";
  return talk === 'greeting'
    ? `Hello, this is ${bot}. ${what} What would you like to know?`
    : `I am ${bot}. ${what}`;
}
