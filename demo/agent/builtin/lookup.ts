/** The look-up of a question in the site's pages: an answer, choices when it is ambiguous, or nothing. */

import type { AnswerRequest } from '../answer/answerer.ts';
import type { FoundPassage, Search } from '../retrieval/search.ts';
import { toStems } from '../retrieval/words.ts';
import type { CitedSource } from '../store/messages.ts';
import { findGroup, findTied, isAnswer, pickRange, preferPage, toOptions, toPages } from './choose.ts';
import { compareThings } from './compare.ts';
import { readLanguage, toEnglish } from './language.ts';
import { findWarnings, readPeril } from './peril.ts';
import { type Question, readQuestion } from './question.ts';
import { emailAddress, phoneNumber, pick, putFirst, withHelpLine, withSteps, withWarning } from './quote.ts';
import { type Ranked, rankUnits } from './rank.ts';
import { escapeMarkdown, sayComparison, sayUnits } from './say.ts';
import { isHomePath, isUrgent, toShortTitle, toUnits } from './units.ts';
import { findUsual, readUsual } from './usual.ts';
import { createVocabularies } from './vocabulary.ts';

export type Found =
  | { kind: 'answer' | 'nothing'; text: string; sources: CitedSource[]; reasoning: string }
  | { kind: 'ambiguous'; options: string[]; reasoning: string };

const candidates = 60;
const maxEarlierQuestions = 5;

export function createLookup(search: Search, synonyms: readonly (readonly string[])[] = []) {
  const vocabularies = createVocabularies(search);

  /** `chosen` are the visitor's answers when we asked before. */
  const find = (request: AnswerRequest, chosen: readonly string[]): Found => {
    if (request.scope.top === 0)
      return {
        kind: 'nothing',
        text: "The site's pages are switched off for this request, and I know nothing else.",
        sources: [],
        reasoning: 'Memory is off.',
      };
    const botId = request.bot.uuid;
    const vocabulary = vocabularies(botId);
    const page = readPage(request, search);
    const earlier = request.history
      .filter(({ role }) => role === 'user')
      .map(({ content }) => vocabulary.correct(content))
      .slice(-maxEarlierQuestions);
    const text = vocabulary.correct([request.question, ...chosen].join(' '));
    const language = readLanguage(request.question);
    const english =
      language === 'en' ? text : toEnglish([request.question, ...chosen].join(' '), vocabulary.hasWord);
    if (english === '') {
      const { text: nothing, sources } = toNothing(search, botId, undefined, undefined);
      const reasoning = 'The question is not in English.';
      return { kind: 'nothing', text: `${notEnglish} ${nothing}`, sources, reasoning };
    }
    const usual =
      chosen.length === 0 && language === 'en' ? (readUsual(request.question) ?? readUsual(text)) : undefined;
    if (usual) {
      const told = findUsual(usual, search.find({ botId, ...request.scope }, usual.words, candidates));
      const reasoning = `Looking for the site's own place for: ${usual.words.join(', ')}.`;
      if (told.length > 0) return { kind: 'answer', ...sayUnits(told), reasoning };
    }
    const question = readQuestion(vocabulary.nameThings(english), {
      earlier: chosen.length > 0 ? [] : earlier,
      pageTitle: page && toShortTitle(page.title),
      synonyms,
      knows: vocabulary.knows,
      isName: vocabulary.isName,
      areSiblings: vocabulary.areSiblings,
    });
    const reasoning = `Searching the site's pages for: ${question.terms.map(({ word }) => word).join(', ')}.`;
    const words = new Set(
      question.terms.flatMap(({ word, synonyms: others, related }) => [word, ...others, ...related]),
    );
    for (const word of question.aspect?.words.split(' ') ?? [])
      if (question.topics.length === 0) words.add(word);
    const found = search.find({ botId, ...request.scope }, [...words], candidates);
    const ofPage = page ? search.ofPage({ botId, ...request.scope }, page.path) : [];
    const passages = [...new Map([...found, ...ofPage].map((passage) => [passage.id, passage])).values()];

    const units = passages.flatMap(toUnits);
    const comparison = compareThings(question, units);
    if (comparison) return { kind: 'answer', ...sayComparison(comparison), reasoning };

    const ranked = preferPage(rankUnits(units, question, vocabulary), page?.path);
    const usable = ranked.filter((unit) => isAnswer(unit, question));
    // Where nothing else answers whether something may be done, a warning on the matter does.
    const peril =
      readPeril(request.question) ?? (usable.length === 0 && question.form === 'may' ? 'risk' : undefined);
    const [warning, ...like] = peril ? findWarnings(ranked, question, vocabulary, peril) : [];
    const best = usable[0] ?? warning;
    if (!best) return { kind: 'nothing', ...toNothing(search, botId, ranked[0], question), reasoning };
    const tied = pickRange(
      findGroup(usable, question) ?? findTied(usable, best, question),
      usable,
      request.question,
    );
    if (chosen.length === 0 && language === 'en' && !warning) {
      const options =
        question.isVague && !question.isFollowUp && !/\b(this|these|here)\b/i.test(text)
          ? toPages(usable)
          : toOptions(tied, question);
      if (options.length >= 2) return { kind: 'ambiguous', options, reasoning };
    }
    const readHelpLines = (first: Ranked) => {
      const scope = { botId, ...request.scope };
      const own = first.passage.url ? search.ofPage(scope, new URL(first.passage.url).pathname) : [];
      const urgent = search.find(scope, ['emergency', 'emergencies'], candidates);
      return [...(isUrgent(first) ? own : []), ...urgent, ...own].flatMap(toUnits);
    };
    const answering = putFirst(warning, [
      ...like,
      ...withWarning(pick(tied, usable, best, question), ranked, question, peril !== undefined),
    ]);
    const picked = withHelpLine(
      withSteps(answering, ranked, question, peril === 'accident'),
      peril === 'accident',
      readHelpLines,
    ).slice(0, Math.max(1, request.scope.top + 1));
    const said = sayUnits(picked);
    return {
      kind: 'answer',
      ...said,
      text: language === 'en' ? said.text : `${inEnglish}\n\n${said.text}`,
      reasoning,
    };
  };

  return {
    find,
    /** How to reach a person, as the contact page has it; empty when there is none. */
    people(request: AnswerRequest): string {
      const botId = request.bot.uuid;
      const passages = search.find({ botId }, ['contact', 'telephone', 'phone', 'email'], candidates);
      const named = passages.find(({ content, url }) => url !== null && phoneNumber.test(content));
      const contact = search.contactPage(botId) ?? (named && { title: named.title, url: named.url! });
      if (!contact) return '';
      const text = search
        .ofPage({ botId }, new URL(contact.url).pathname)
        .map(({ section, content }) => ({ content, isContact: /contact|phone|reach|e-?mail/i.test(section) }))
        .sort((a, b) => Number(b.isContact) - Number(a.isContact))
        .map(({ content }) => content)
        .join('\n');
      const phone = phoneNumber.exec(text)?.[0];
      const email = emailAddress.exec(text)?.[0];
      const ways = [phone && `call ${phone}`, email && `write to ${email}`].filter(
        (way) => way !== undefined,
      );
      const page = `[${escapeMarkdown(toShortTitle(contact.title))}](<${contact.url}>)`;
      return ways.length > 0
        ? ` To reach one, ${ways.join(' or ')}: ${page}.`
        : ` To reach one, see ${page}.`;
    },
    /** The full name of the thing that the text names. */
    findThing(request: AnswerRequest, text: string): string | undefined {
      const vocabulary = vocabularies(request.bot.uuid);
      const question = readQuestion(vocabulary.correct(text), {
        earlier: [],
        synonyms,
        knows: vocabulary.knows,
        isName: vocabulary.isName,
        areSiblings: vocabulary.areSiblings,
      });
      const words = question.topics.map(({ word }) => word);
      let best: { thing: string; share: number } | undefined;
      for (const unit of search
        .find({ botId: request.bot.uuid, ...request.scope }, words, candidates)
        .flatMap(toUnits)) {
        // A row may name several things at once; a heading names one.
        if (unit.subject === '' || unit.cells) continue;
        const stems = toStems(unit.subject);
        const share = question.topics.filter(({ stem }) => stems.has(stem)).length / stems.size;
        if (share > (best?.share ?? 0)) best = { thing: unit.subject, share };
      }
      return best?.thing;
    },
  };
}

const notEnglish = 'I understand English only.';
const inEnglish = "I understand English only. This site's pages say:";

interface Page {
  path: string;
  title: string;
}

function readPage(request: AnswerRequest, search: Search): Page | undefined {
  const url = (request.data.metadata as { page?: { url?: unknown } } | undefined)?.page?.url;
  if (typeof url !== 'string' || !URL.canParse(url)) return undefined;
  const path = new URL(url).pathname;
  if (isHomePath(path)) return undefined;
  const title = search.titleOf(request.bot.uuid, path);
  return title === undefined ? undefined : { path, title };
}

function toNothing(
  search: Search,
  botId: string,
  nearest: Ranked | undefined,
  question: Question | undefined,
): { text: string; sources: CitedSource[] } {
  const contact = search.contactPage(botId);
  const parts = ["I found nothing about that in this site's pages."];
  const near: FoundPassage | undefined =
    nearest && nearest.coverage >= 0.3 && question && question.topics.length > 0
      ? nearest.passage
      : undefined;
  const link = ({ title, url }: { title: string; url: string }) =>
    `[${escapeMarkdown(toShortTitle(title))}](<${url}>)`;
  if (near?.url && near.url !== contact?.url)
    parts.push(`The nearest page is ${link({ title: near.title, url: near.url })}.`);
  if (contact) parts.push(`You can ask a person: ${link(contact)}.`);
  return { text: parts.join(' '), sources: [] };
}
