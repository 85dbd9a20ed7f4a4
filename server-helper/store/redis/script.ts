/** The store's one script: its parts in the order in which each needs those before it. */
import begin from './begin.lua?raw';
import conversations from './conversations.lua?raw';
import end from './end.lua?raw';
import facts from './facts.lua?raw';
import limits from './limits.lua?raw';
import logs from './logs.lua?raw';
import records from './records.lua?raw';
import turns from './turns.lua?raw';

export const script = [begin, facts, records, conversations, turns, logs, limits, end].join('\n');
