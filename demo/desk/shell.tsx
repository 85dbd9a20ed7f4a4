/** The desk around its areas: who enters, which agent, where to go, what the last action came to. */

import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Agents } from './areas/agents.tsx';
import { Conversations } from './areas/conversations.tsx';
import { Deliveries } from './areas/deliveries.tsx';
import { Emails } from './areas/emails.tsx';
import { Keys } from './areas/keys.tsx';
import { Overview } from './areas/overview.tsx';
import { People } from './areas/people.tsx';
import { Settings } from './areas/settings.tsx';
import { Sources } from './areas/sources.tsx';
import { Tasks } from './areas/tasks.tsx';
import { Workflows } from './areas/workflows.tsx';
import { Door, DoorAgain } from './door.tsx';
import { Notice, wasJustClosed } from './panel.tsx';
import { focusOn } from './parts.tsx';
import {
  act,
  area,
  botId,
  bots,
  canManage,
  chooseBot,
  forgetDraft,
  isRefused,
  isSignedIn,
  leave,
  leaveIfRefused,
  loadBots,
  loadError,
  notice,
} from './state.ts';
import { mayLeave } from './written.ts';

type AreaEntry = readonly [name: string, title: string, Area: ComponentType, forWhom?: 'managers'];
const allAreas: readonly AreaEntry[] = [
  ['overview', 'Overview', Overview],
  ['conversations', 'Conversations', Conversations],
  ['sources', 'Sources', Sources],
  ['people', 'People', People],
  ['tasks', 'Tasks', Tasks],
  ['emails', 'E-mails', Emails],
  ['workflows', 'Workflows', Workflows],
  ['deliveries', 'Webhooks', Deliveries, 'managers'],
  ['settings', 'Settings', Settings, 'managers'],
  ['agents', 'Agents', Agents, 'managers'],
  ['keys', 'Keys and plan', Keys, 'managers'],
];

export function Desk() {
  useEffect(() => {
    // Who has just entered has them.
    if (isSignedIn.value && canManage.value === undefined) loadBots().catch(leaveIfRefused);
  }, [isSignedIn.value]);
  if (!isSignedIn.value) return <Door />;
  return (
    <>
      <Inside />
      {isRefused.value && <DoorAgain />}
    </>
  );
}

function Inside() {
  // The door that had the focus is gone.
  useLayoutEffect(() => focusOn(null), []);
  const areas = allAreas.filter(([, , , forWhom]) => forWhom === undefined || canManage.value !== false);
  const [name, title, Area] = areas.find(([one]) => one === area.value) ?? areas[0]!;
  useEffect(() => {
    document.title = `${title} - Desk`;
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [title]);
  return (
    <div class="desk">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads where it says, and only the address is left as it is. */}
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // Where one is stays in the address.
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        Skip to content
      </a>
      <header>
        <b>Desk</b>
        <label>
          <span>Agent</span>
          <select
            value={botId.value}
            onChange={(event) => {
              if (!mayLeave()) {
                event.currentTarget.value = botId.value;
                return;
              }
              notice.value = undefined;
              if (bots.value.every(({ id }) => id !== botId.value)) forgetDraft(botId.value);
              chooseBot(event.currentTarget.value);
            }}
          >
            {botId.value !== '' &&
              bots.value.length > 0 &&
              bots.value.every(({ id }) => id !== botId.value) && (
                <option value={botId.value}>An agent that is gone</option>
              )}
            {bots.value.map((bot) => (
              <option key={bot.id} value={bot.id}>
                {bot.name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="plain" onClick={() => wasJustClosed() || leave()}>
          Leave
        </button>
      </header>
      <nav aria-label="Areas">
        <ul>
          {areas.map(([one, label]) => (
            <li key={one}>
              <a href={`#/${one}`} aria-current={one === name ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        <h1>{title}</h1>
        <Notice />
        {canManage.value !== undefined && botId.value !== '' ? (
          <Area key={`${name} ${botId.value}`} />
        ) : loadError.value === '' ? (
          <p class="faint">Loading</p>
        ) : (
          <p class="wrong">
            {loadError.value}{' '}
            <button type="button" onClick={() => act('', loadBots).finally(() => focusOn(null))}>
              Try again
            </button>
          </p>
        )}
      </main>
    </div>
  );
}
