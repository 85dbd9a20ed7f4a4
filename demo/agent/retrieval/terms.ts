/** The terms of a question: its words without stop words, each with its stem, its synonyms and how much it says. */

import { synonymGroups } from './synonyms.ts';
import { toStem, toWords } from './words.ts';

const toSet = (words: string) => new Set(words.trim().split(/\s+/));

const stopWords = toSet(`
  a an and are as wat wot teh da de u r ur yr gonna wanna dunno xx x lol btw asap hmm um er ah oh pls plz at be been but by can cann could did do does doing for from had has have having how i if in into is it its
  just me my of on or our please pls so some such than that the their theirs them then there these they this those to too
  us was we were what whats when where which who whom whose why will with would you your yours am about any also get gets got
  hi hello hey ok okay yes no not s t re ve ll d m shall should may might must let tell know like theres u im id ive
  something anything everything someone anyone somewhere somebody anybody he she him his her hers ours mine myself yourself
  themselves itself himself herself cant couldnt dont doesnt didnt isnt arent wasnt wont wouldnt havent hasnt being were
  here now both each other another all more most up out off over under again once because while until before after
  eg ie etc per via am pm youve weve theyve youd wed theyd id hed shed youll well theyll itll hes shes theyre were mustnt neednt shouldnt hadnt getting`);

/** Said in many questions and telling little: they count for something, but alone they are no topic. */
const weakWords = toSet(`
 take takes took taking much many cost costs price prices sell sells selling offer offers offering     
 give gives giving find make makes making good best better work works working happen happens happened thing things one ones two kind kinds type types sort
 different difference compare comparison versus vs available come comes coming say says said help helps time times day days date fast quick quickly soon
 shop product products goods still ever really very quite first last next new please possible possibility want wants wanted wanna
 need needs needed needing like policy policies rule rules information info infos detail details question questions answer answers explain
 describe mean means meaning regarding concerning please wondering wonder interested looking look looks seeking trying try tried able allowed allow
 permit permitted okay fine right exactly actually currently today tomorrow tonight normally usually generally roughly about approximately
 actual current site website page pages company business place places way ways option options choice choices case
 cheap cheaper cheapest expensive dear light lighter lightest heavy heavier heaviest big bigger biggest small smaller smallest large larger largest
 warm warmer warmest cold colder coldest short shorter shortest faster fastest highest lowest higher lower most least
 charge charges charged fee fees amount total sum much far often old big tall wide high heavy
 bring brings bringing yesterday morning evening afternoon inside outside near within without during behind between around above below supposed going gonna go goes went put puts get keep keeps let lets see show shows check checks
 back together me also maybe perhaps anyway else instead even only same
 person people customer customers visitor client friend wife husband mother father son daughter aunt uncle dad mum mom grandma grandpa granny parents brother sister boyfriend girlfriend year week month
 moment minute hour hours days ago since already yet enough lot lots bit little few several
 ask asking asked told hear heard seem seems must thank thanks hope sure certain problem issue trouble situation step steps way instructions
 happens matter mind idea advice recommend recommended suggest suggestion tip tips guide
 think believe guess feel suppose wish prefer love nice great lovely cool awesome perfect
 start starts begin begins end ends ending stop stops finish until till from
 cause reason purpose whether whatever whenever wherever however
 proper properly correct correctly safe safely exact exactly precise precisely simply easily quickly slowly directly immediately normally
 real true false wrong correct ok have belong belongs turn turns across round
 anybody nobody everybody live lives living`);

export interface Term {
  /** As asked, for the full-text index, which has its own stemmer. */
  word: string;
  stem: string;
  weak: boolean;
  synonyms: string[];
  /** Of the synonyms. */
  otherStems: readonly string[];
}

/** Whether the stems have the term, or another word for it. */
export function isSaidIn(
  { stem, otherStems }: Pick<Term, 'stem' | 'otherStems'>,
  stems: { has(stem: string): boolean },
): boolean {
  return stems.has(stem) || otherStems.some((other) => stems.has(other));
}

/** The distinct terms of a question, without stop words. */
export function toTerms(text: string, own: readonly (readonly string[])[] = []): Term[] {
  const terms = new Map<string, Term>();
  for (const word of toWords(text)) {
    if (stopWords.has(word) || word.length === 1) continue;
    const stem = toStem(word);
    if (terms.has(stem)) continue;
    const synonyms = toSynonyms(word, stem, own);
    terms.set(stem, { word, stem, weak: weakWords.has(word), synonyms, otherStems: synonyms.map(toStem) });
  }
  return [...terms.values()];
}

/** True for a word that names no topic, or that synonyms are known for: no misspelling. */
export function isCommonWord(word: string): boolean {
  return stopWords.has(word) || weakWords.has(word) || synonymsOf.has(toStem(word));
}

/** Words that name no topic. */
export const fillers: ReadonlySet<string> = new Set([...weakWords, ...stopWords]);

/** Words that synonyms are known for. */
export function knownSynonyms(): Iterable<string> {
  return synonymGroups.flat();
}

const synonymsOf = new Map<string, Set<string>>();
for (const group of synonymGroups) addGroup(synonymsOf, group);

function addGroup(to: Map<string, Set<string>>, group: readonly string[]) {
  for (const word of group) {
    const stem = toStem(word);
    const others = to.get(stem) ?? new Set<string>();
    for (const other of group) others.add(other);
    to.set(stem, others);
  }
}

function toSynonyms(word: string, stem: string, own: readonly (readonly string[])[]): string[] {
  const found = new Set(synonymsOf.get(stem) ?? []);
  for (const group of own)
    if (group.some((each) => toStem(each) === stem)) for (const each of group) found.add(each);
  found.delete(word);
  return [...found];
}
