/** The built-in answerer: no language model; it quotes the site's pages and calls the site's tools. */

import {
  type Answerer,
  type AnswerOutcome,
  type AnswerPort,
  type AnswerRequest,
  toToolPause,
} from '../answer/answerer.ts';
import { type Pace, sayWords } from '../answer/pace.ts';
import { summariseByFirstSentences } from '../answer/summary.ts';
import { cutToTokens } from '../answer/tokens.ts';
import type { Search } from '../retrieval/search.ts';
import { toChosen } from './chosen.ts';
import { readFollowUp } from './followup.ts';
import { readHarm, toHarm } from './harm.ts';
import { shortenAll } from './long.ts';
import { createLookup } from './lookup.ts';
import { readRemember, toRemembered } from './remember.ts';
import { escapeMarkdown } from './say.ts';
import { readTalk, toTalk, withoutSalutation } from './talk.ts';
import { lookUp, toDenied, toMissing, toResultText } from './toolresult.ts';
import { chooseTool, type ToolChoice } from './toolwords.ts';

export const builtinModel = 'built-in';

export function createBuiltinAnswerer(
  search: Search,
  pace: Pace,
  synonyms: readonly (readonly string[])[] = [],
): Answerer {
  const lookup = createLookup(search, synonyms);

  return {
    model: builtinModel,
    async summarise(earlier, messages) {
      return summariseByFirstSentences(earlier, messages);
    },

    async answer(asked, port, signal) {
      const request = shortenAll({ ...asked, question: withoutSalutation(asked.question) });
      const say = (text: string) =>
        sayWords(cutToTokens(text, request.overrides.maxReplyTokens), port.delta, pace, signal);
      const done: AnswerOutcome = { kind: 'done' };

      async function answerFromPages(chosen: readonly string[]): Promise<AnswerOutcome> {
        const found = lookup.find(request, chosen);
        if (request.reasoningMode === 'agent') port.reasoning(found.reasoning);
        if (found.kind === 'ambiguous') return toQuestion(found.options);
        if (found.sources.length > 0) port.sources(found.sources);
        await say((found.kind === 'nothing' && request.bot.no_answer_reply) || found.text);
        return done;
      }

      if (request.resumed) {
        const { tool, decision } = request.resumed;
        if (decision.kind === 'answers')
          return answerFromPages(
            decision.answers.map((answer, at) => toChosen(answer, readOptions(tool, at))),
          );
        await say(
          decision.kind === 'denied' ? toDenied(tool) : toResultText(tool, decision, request.question),
        );
        return done;
      }

      const remember = readRemember(request.question);
      if (remember && request.memories) {
        const { known, add } = request.memories;
        if (remember.content !== undefined) add(remember.content, 'semantic');
        await say(remember.content === undefined ? toRemembered(known) : 'I will remember that.');
        return done;
      }

      // As it was said: no word of it is only a greeting's.
      const harm = readHarm(asked.question, lookup.hasWord(request, 'vet'));
      if (harm) {
        await say(toHarm(harm));
        return done;
      }

      const talk = readTalk(request.question);
      if (talk) {
        const people = ['person', 'contact', 'complaint'].includes(talk) ? lookup.people(request) : '';
        await say(toTalk(talk, escapeMarkdown(request.bot.name), people));
        return done;
      }

      const followUp = readFollowUp(request.question, readLastReply(request));
      if (followUp !== undefined) {
        await say(followUp);
        return done;
      }

      const choice = chooseTool(readAsked(request), readEarlier(request), request.tools, {
        findThing: (text) => lookup.findThing(request, text),
        isSignedIn: request.isSignedIn,
        page: lookup.pageTitle(request),
      });
      if (choice?.kind === 'missing') {
        await say(toMissing(choice.names));
        return done;
      }
      if (choice) {
        const outcome = await callTool(choice, port);
        if ('kind' in outcome) return outcome;
        const { ok, result } = outcome;
        // What the tool does not know, the pages may still say.
        if (ok || choice.tool.approval !== 'auto') {
          await say(
            toResultText({ ...choice.tool, parameters: choice.parameters }, { ok, result }, request.question),
          );
          return done;
        }
      }
      return answerFromPages([]);
    },
  };
}

/** An order number or an address, in any spelling. */
const isValue = /\d{3,}|\S@\S/;

/** What is sent because we asked for it belongs to what was asked before; who asks something else has left that. */
function readAsked({ history, question }: AnswerRequest): string {
  const isReply =
    history.at(-1)?.role !== 'user' &&
    history.at(-1)?.content.startsWith(lookUp) === true &&
    isValue.test(question);
  const before = history.filter(({ role }) => role === 'user').slice(-2);
  return isReply ? [...before.map(({ content }) => content), question].join(' ') : question;
}

function readLastReply({ history }: AnswerRequest): string | undefined {
  const last = history.at(-1);
  return last?.role === 'user' ? undefined : last?.content;
}

function readEarlier({ history }: AnswerRequest): string[] {
  return history.filter(({ role }) => role === 'user').map(({ content }) => content);
}

/** Runs an automatic tool; for any other one, the pause. */
async function callTool({ tool, parameters, reasoning }: ToolChoice & { kind: 'call' }, port: AnswerPort) {
  if (tool.approval === 'auto') return port.runTool(tool, parameters);
  return { kind: 'paused', tool: toToolPause(tool, parameters, reasoning) } as const;
}

/** What was asked back, by its place. */
function readOptions({ parameters }: { parameters: object }, at: number): readonly string[] {
  const { questions } = parameters as { questions?: readonly { options?: readonly string[] }[] };
  return questions?.[at]?.options ?? [];
}

function toQuestion(options: string[]): AnswerOutcome {
  return {
    kind: 'paused',
    tool: {
      name: 'ask_user',
      title: 'Question',
      description: 'Asks the visitor what is meant.',
      parameters: { questions: [{ question: 'Which of these do you mean?', options }] },
      reasoning: 'Several things fit the question about equally.',
      builtIn: true,
    },
  };
}
