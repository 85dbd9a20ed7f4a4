/** The look-up of a question in the site's pages: an answer in quotes, options when it is ambiguous, or nothing. */

import type { FoundPassage, Search } from '../retrieval/search.ts';
import { toStems } from '../retrieval/terms.ts';
import type { CitedSource } from '../store/messages.ts';
import type { AnswerRequest } from './answerer.ts';
import { escapeMarkdown, toQuotedAnswer } from './phrase.ts';
import { type Question, readQuestion, toShortTitle } from './question.ts';
import { leastCoverage, pickQuotes, type Quote, scorePages, scoreQuotes, toPageKey } from './quote.ts';

export type Found =
  | { kind: 'answer' | 'nothing'; text: string; sources: CitedSource[]; reasoning: string }
  | { kind: 'ambiguous'; options: string[]; reasoning: string };

const candidates = 40;
const maxEarlierQuestions = 5;
const maxOptions = 4;
/** Pages whose best quotes score this near each other answer a vague question about equally. */
const aboutEqual = 0.85;
/** How near the best score a quote with the kind of answer asked for must be to come first. */
const kindEnough = 0.6;

export function createLookup(search: Search) {
  /** `chosen` are the visitor's answers when we asked before. */
  return (request: AnswerRequest, chosen: readonly string[]): Found => {
    const earlier = request.history
      .filter(({ role }) => role === 'user')
      .map(({ content }) => content)
      .slice(-maxEarlierQuestions);
    const question = readQuestion([request.question, ...chosen].join(' '), chosen.length > 0 ? [] : earlier);
    const reasoning = `Searching the site's pages for: ${question.terms.map(({ word }) => word).join(', ')}.`;
    if (request.scope.top === 0)
      return {
        kind: 'nothing',
        text: "The site's pages are switched off for this request, and I know nothing else.",
        sources: [],
        reasoning,
      };

    const isVague = question.topics.length === 0 && !question.isFollowUp;
    const words = new Set(question.terms.flatMap(({ word, synonyms }) => [word, ...synonyms]));
    if (isVague) for (const word of question.kind?.words ?? []) words.add(word);
    const passages = search.find({ botId: request.bot.uuid, ...request.scope }, [...words], candidates);
    const rarity = search.rarity(request.bot.uuid, question.terms);
    const scored = scoreQuotes(keepChosen(passages, chosen), question, rarity);
    const fitting = isVague
      ? scored.filter(({ text }) => question.kind?.found.test(text) === true)
      : scored.filter(({ coverage }) => coverage >= leastCoverage);
    const usable = isKeyword(question) ? keepNamed(fitting, question) : keepKind(fitting, question);

    if (chosen.length === 0 && (isVague || isKeyword(question))) {
      const options = toOptions(usable, isVague);
      if (options.length >= 2) return { kind: 'ambiguous', options, reasoning };
    }
    const quotes = pickQuotes(isVague ? usable.map((quote) => ({ ...quote, coverage: 1 })) : usable).slice(
      0,
      request.scope.top,
    );
    if (quotes.length === 0) return { kind: 'nothing', ...toNothing(search, request), reasoning };
    return { kind: 'answer', ...toQuotedAnswer(quotes), reasoning };
  };
}

function keepChosen(passages: readonly FoundPassage[], chosen: readonly string[]): readonly FoundPassage[] {
  const kept = passages.filter(({ title }) => chosen.includes(toShortTitle(title)));
  return kept.length > 0 ? kept : passages;
}

/** A word or two, such as "tents": several pages hold it, few are about it. */
function isKeyword(question: Question): boolean {
  return question.topics.length === 1 && question.terms.length === 1 && question.kind === undefined;
}

/** The pages a vague question could be about; fewer than two when it is clear enough. */
function toOptions(usable: readonly Quote[], isVague: boolean): string[] {
  const pages = scorePages(usable.filter(({ passage }) => !isHomePage(passage)));
  const best = pages[0]?.score ?? 0;
  const near = isVague ? pages : pages.filter(({ score }) => score >= best * aboutEqual);
  return [...new Set(near.map(({ title }) => toShortTitle(title)))].slice(0, maxOptions);
}

/** A home page has a bit of everything and is no answer to what is meant. */
function isHomePage({ url }: FoundPassage): boolean {
  return url !== null && /^\/(index\.html?)?$/.test(new URL(url).pathname);
}

/** Asked how long, a sentence without a time beside one that has it only distracts. */
function keepKind(quotes: readonly Quote[], { kind }: Question): readonly Quote[] {
  const holding = kind ? quotes.filter(({ text }) => kind.found.test(text)) : [];
  return holding[0] && holding[0].score >= quotes[0]!.score * kindEnough ? holding : quotes;
}

/** A keyword that one page has in its title is about that page. */
function keepNamed(quotes: readonly Quote[], question: Question): readonly Quote[] {
  const named = quotes.filter(({ passage }) => {
    const stems = toStems(toShortTitle(passage.title));
    return question.topics.some(({ stem }) => stems.has(stem));
  });
  return new Set(named.map(({ passage }) => toPageKey(passage))).size === 1 ? named : quotes;
}

function toNothing(search: Search, request: AnswerRequest): { text: string; sources: CitedSource[] } {
  const contact = search.contactPage(request.bot.uuid);
  const text = "I found nothing about that in this site's pages.";
  return {
    text:
      contact === undefined
        ? text
        : `${text} You can ask a person: [${escapeMarkdown(toShortTitle(contact.title))}](<${contact.url}>).`,
    sources: [],
  };
}
