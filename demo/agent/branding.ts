/** The bot that the service starts with: the shop's. */

import type { AgentConfig } from './options.ts';
import type { BotBranding } from './store/bots.ts';

export function toBot({ bot, provider }: AgentConfig): {
  name: string;
  instruction: string;
  branding: BotBranding;
} {
  return {
    name: bot.name ?? 'Juniper',
    instruction:
      bot.instruction ??
      'You are the assistant of Larkfield Outdoor, a shop for tents, packs, stoves and boots. Answer briefly and exactly.',
    branding: {
      accent_color: '#2f5d50',
      background_color: '#ffffff',
      theme: 'light',
      avatar: null,
      placeholder: 'Ask about gear or an order',
      tagline: provider
        ? `Answers are written by ${provider.model} from this site's pages. They can be wrong.`
        : "Built-in answerer: quotes this site's pages. No language model.",
      message_greetings: ['Questions about shipping, returns or gear? Ask here.'],
      conversation_starters: [
        'How long does shipping to Canada take?',
        'Can I return a tent that I have used?',
        'Where is my order?',
      ],
      logo: null,
      ...bot.branding,
    },
  };
}
