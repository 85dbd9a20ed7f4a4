/** Takes into a turn what another helper has told of it, so that it goes on here under the same ids. */
import { HelperError } from '../errors.ts';
import { endKinds, isTurnEventKind, type TurnEvent } from '../protocol/wire.ts';
import type { LogKey, SharedLogs } from '../store/shared-logs.ts';
import type { LiveTurn } from './turn.ts';

export type Told = {
  /** @param events as they were sent; those that the turn has already are passed over @throws HelperError `internal` where one is missing in between */
  take(events: string): void;
  /** Takes what is told by now. */
  catchUp(): Promise<void>;
  /** Takes what is told from now on, and says so. @param onTold told why, where it could not be taken @returns ends it */
  follow(onTold: (error?: unknown) => void): () => void;
  /** The last that was told is a pause. It is no part of the turn yet: what it waits for stands in the records. */
  readonly isPaused: boolean;
  /** It was decided on: it is one event as others are. */
  passPause(): void;
};

const eventForm = /^id: (\d+)\nevent: ([\w-]+)\ndata: (.*)$/s;

export function createTold(turn: LiveTurn, logs: SharedLogs): Told {
  const { conversationId, id, tellerId: teller } = turn;
  const key: LogKey = { conversationId, id, teller };
  let pause: string | undefined;

  const passPause = () => {
    if (pause !== undefined) turn.log.appendTold(pause, false);
    pause = undefined;
  };
  const take = (events: string) => {
    for (const told of events.split('\n\n')) {
      const [, place, kind, json = ''] = eventForm.exec(told) ?? [];
      const next = turn.log.nextId + (pause === undefined ? 0 : 1);
      if (!isTurnEventKind(kind) || Number(place) < next || turn.isOver) continue;
      if (Number(place) > next) throw new HelperError('internal', 'An event of another helper is missing');
      passPause();
      if (kind === 'turn-paused') pause = `${told}\n\n`;
      else {
        turn.log.appendTold(`${told}\n\n`, endKinds.has(kind));
        adopt(turn, { kind, data: JSON.parse(json) } as TurnEvent);
      }
    }
  };
  return {
    take,
    passPause,
    async catchUp() {
      take(await logs.read(key, turn.log.nextId));
    },
    follow: (onTold) =>
      logs.follow(key, turn.log.nextId, (events) => {
        try {
          take(events);
          onTold();
        } catch (error) {
          onTold(error);
        }
      }),
    get isPaused() {
      return pause !== undefined;
    },
  };
}

function adopt(turn: LiveTurn, { kind, data }: TurnEvent): void {
  if (kind === 'text-delta' || kind === 'reasoning-delta') turn.said.count(data.text);
  if (kind === 'text-delta') turn.text += data.text;
  else if (kind === 'sources') turn.sources = data.sources;
  else if (kind === 'turn-completed')
    turn.adoptEnd({ status: 'completed', message: data.message, agentMessageId: undefined });
  else if (kind === 'turn-stopped') turn.adoptEnd({ status: 'stopped', message: data.message });
  else if (kind === 'turn-failed') {
    const error = new HelperError(data.code, undefined, data.retryAfterMs);
    turn.adoptEnd({ status: 'failed', error, text: turn.text });
  }
}
