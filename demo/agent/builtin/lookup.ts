/** The look-up of a question in the site's pages: an answer, choices when it is ambiguous, or nothing. */

import type { AnswerRequest } from '../answer/answerer.ts';
import type { Search } from '../retrieval/search.ts';
import { toShortTitle } from '../retrieval/title.ts';
import { toStems } from '../retrieval/words.ts';
import type { CitedSource } from '../store/messages.ts';
import {
  findGroup,
  findTied,
  isAnswer,
  isOfOther,
  pickRange,
  preferPage,
  toOptions,
  toPages,
} from './choose.ts';
import { compareThings } from './compare.ts';
import { joinSaid, nameIt, splitQuestion } from './compound.ts';
import { readLanguage, toEnglish } from './language.ts';
import { findWarnings, readPeril } from './peril.ts';
import { toNothing, toPeople } from './point.ts';
import { readQuestion } from './question.ts';
import { findHelpLine, pick, putFirst, takeFirst, withHelpLine, withSteps, withWarning } from './quote.ts';
import { type Ranked, rankUnits } from './rank.ts';
import { sayComparison, sayUnits } from './say.ts';
import { isHomePath, isUrgent, toUnits } from './units.ts';
import { findUsual, readUsual } from './usual.ts';
import { createVocabularies } from './vocabulary.ts';

export type Found =
  | { kind: 'answer' | 'nothing'; text: string; sources: CitedSource[]; reasoning: string }
  | { kind: 'ambiguous'; options: string[]; reasoning: string };

const candidates = 60;
/** The number of an order or a parcel, of which no page knows. */
const reference = /\b[a-z]{1,4}-?\d{4,}\b/gi;
const maxEarlierQuestions = 5;

export function createLookup(search: Search, synonyms: readonly (readonly string[])[] = []) {
  const vocabularies = createVocabularies(search);

  /** `chosen` are the visitor's answers when we asked before. */
  const find = (request: AnswerRequest, chosen: readonly string[]): Found =>
    (chosen.length === 0 && findBoth(request)) || findOne(request, chosen);

  /** Of two questions in one both answers, where each has one. What is dangerous is asked whole. */
  const findBoth = (request: AnswerRequest): Found | undefined => {
    const parts = splitQuestion(request.question);
    if (!parts || readPeril(request.question)) return undefined;
    const [question] = parts;
    const first = findOne({ ...request, question }, []);
    if (first.kind !== 'answer') return undefined;
    const history = [...request.history, { role: 'user' as const, content: question }];
    const second = findOne({ ...request, question: nameIt(parts[1], first.text), history }, []);
    if (second.kind !== 'answer') return undefined;
    const reasoning = `${first.reasoning} ${second.reasoning}`;
    return { kind: 'answer', ...joinSaid(first, second), reasoning };
  };

  const findOne = (request: AnswerRequest, chosen: readonly string[]): Found => {
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
    const spoken = request.question.replace(reference, (word) => (vocabulary.hasWord(word) ? word : ''));
    const text = vocabulary.correct([spoken, ...chosen].join(' '));
    const language = readLanguage(request.question);
    const english = language === 'en' ? text : toEnglish([spoken, ...chosen].join(' '), vocabulary.hasWord);
    if (english === '') {
      const { text: nothing, sources } = toNothing(search, botId, undefined, undefined);
      const reasoning = 'The question is not in English.';
      return { kind: 'nothing', text: `${notEnglish} ${nothing}`, sources, reasoning };
    }
    const usual =
      chosen.length === 0 && language === 'en' ? (readUsual(spoken) ?? readUsual(text)) : undefined;
    if (usual) {
      const told = findUsual(usual, search.find({ botId, ...request.scope }, usual.words, candidates), text);
      const reasoning = `Looking for the site's own place for: ${usual.words.join(', ')}.`;
      if (told.length > 0) return { kind: 'answer', ...sayUnits(told), reasoning };
    }
    const question = readQuestion(vocabulary.nameThings(vocabulary.nameOther(english, earlier.at(-1))), {
      ...vocabulary,
      earlier: chosen.length > 0 ? [] : earlier,
      pageTitle: page && toShortTitle(page.title),
      synonyms,
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

    const units = passages.flatMap(toUnits).filter((unit) => !isOfOther(unit, question, vocabulary));
    const comparison = compareThings(question, units);
    if (comparison) return { kind: 'answer', ...sayComparison(comparison), reasoning };

    const ranked = preferPage(rankUnits(units, question, vocabulary), page?.path);
    const usable = ranked.filter((unit) => isAnswer(unit, question));
    // Where nothing else answers, a warning on the matter does.
    const peril =
      readPeril(request.question) ??
      (usable.length === 0 && (question.form === 'may' || question.isTold) ? 'doubt' : undefined);
    const [warning, ...like] = peril ? findWarnings(ranked, question, vocabulary, peril) : [];
    const best = usable[0] ?? warning;
    const readHelpLines = (first?: Ranked) => {
      const scope = { botId, ...request.scope };
      const url = first?.passage.url;
      const own = url ? search.ofPage(scope, new URL(url).pathname) : [];
      const urgent = search.find(scope, ['emergency', 'emergencies'], candidates);
      return [...(first && isUrgent(first) ? own : []), ...urgent, ...own].flatMap(toUnits);
    };
    if (!best) {
      // Something has happened that no page speaks of: whom to call is still worth saying.
      const line = peril === 'accident' ? findHelpLine(readHelpLines().filter(isUrgent)) : undefined;
      return { kind: 'nothing', ...toNothing(search, botId, ranked[0], question, line), reasoning };
    }
    const tied = pickRange(
      findGroup(usable, question) ?? findTied(usable, best, question),
      usable,
      request.question,
    );
    if (chosen.length === 0 && language === 'en' && !warning) {
      const options = question.isTold
        ? []
        : question.isVague &&
            !question.isFollowUp &&
            !question.terms.some(({ isOfPage }) => isOfPage) &&
            !/\b(this|these|here)\b/i.test(text)
          ? toPages(usable)
          : toOptions(tied, question);
      if (options.length >= 2) return { kind: 'ambiguous', options, reasoning };
    }
    const answering = putFirst(warning, [
      ...like,
      ...withWarning(pick(tied, usable, best, question), ranked, question, peril !== undefined).filter(
        // Beside a warning only what its own page says.
        (unit) => peril !== 'risk' || !warning || unit.passage.url === warning.passage.url,
      ),
    ]);
    const picked = takeFirst(
      withHelpLine(
        withSteps(answering, ranked, question, peril === 'accident'),
        peril === 'accident',
        readHelpLines,
      ),
      Math.max(1, request.scope.top + 1),
    );
    const said = sayUnits(picked);
    // "And what should I do before?": what was said already is no answer to it.
    const isSaid = question.isFollowUp && question.topics.length === 0 && question.aspect === undefined;
    if (isSaid && request.history.at(-1)?.content === said.text)
      return { kind: 'nothing', ...toNothing(search, botId, ranked[0], question), reasoning };
    return {
      kind: 'answer',
      ...said,
      text: language === 'en' ? said.text : `${inEnglish}\n\n${said.text}`,
      reasoning,
    };
  };

  return {
    find,
    pageTitle: (request: AnswerRequest) => {
      const page = readPage(request, search);
      return page && toShortTitle(page.title);
    },
    people: (request: AnswerRequest) => toPeople(search, request.bot.uuid),
    hasWord: (request: AnswerRequest, word: string) => vocabularies(request.bot.uuid).hasWord(word),
    /** The full name of the thing that the text names. */
    findThing(request: AnswerRequest, text: string): string | undefined {
      const vocabulary = vocabularies(request.bot.uuid);
      const question = readQuestion(vocabulary.correct(text), { ...vocabulary, earlier: [], synonyms });
      const words = question.topics.map(({ word }) => word);
      let best: { thing: string; said: number; share: number } | undefined;
      for (const unit of search
        .find({ botId: request.bot.uuid, ...request.scope }, words, candidates)
        .flatMap(toUnits)) {
        // A row may name several things at once; a heading names one.
        if (unit.subject === '' || unit.cells) continue;
        const stems = toStems(unit.subject);
        const said = question.topics.filter(({ stem }) => stems.has(stem)).length;
        const share = said / stems.size;
        if (said > (best?.said ?? 0) || (said === best?.said && share > best.share))
          best = { thing: unit.subject, said, share };
      }
      // "The Skylark footprint" is no Skylark tent: whoever looks it up gets all that was said.
      const known = question.topics.filter(({ isUnknown }) => !isUnknown);
      return best && best.said < known.length ? known.map(({ word }) => word).join(' ') : best?.thing;
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
