/** What an agent is called, how it answers, how its chat looks, with the chat beside it as it would be. */

import { useRef, useState } from 'preact/hooks';
import { type Answer, call } from '../api.ts';
import { useLoad } from '../load.ts';
import { focusOn, requireWords, Waiting } from '../parts.tsx';
import { PreviewFrame } from '../preview-frame.tsx';
import { act, botId, drafts, entries, forgetNews, leaveIfRefused, loadBots } from '../state.ts';
import { type Draft, type Field, fields, type Raw, toChanges, toRaw } from './settings-fields.ts';

function keep(id: string, draft: Draft) {
  drafts.value = { ...drafts.value, [id]: draft };
}

export function Settings() {
  const { data, error, reload, show } = useLoad('/v1/bot/read');
  const isBusy = useRef(false);
  const [isSending, setSending] = useState(false);
  if (!data) return <Waiting error={error} reload={reload} />;
  const id = botId.value;
  const draft = drafts.value[id] ?? {};
  const bot = withDraft(data.bot, draft);
  const rawOf = (field: Field) => draft[field.name] ?? toRaw(field, data.bot);
  /** Where the one beside it is filled, it has to be too. */
  const isNeeded = ({ isRequired, beside }: Field) =>
    isRequired || fields.some((one) => one.name === beside && rawOf(one) !== '');
  const input = (field: Field) => (
    <Input
      key={field.name}
      field={{ ...field, ...(isNeeded(field) && { isRequired: true }) }}
      value={rawOf(field)}
      change={(value) => keep(id, { ...drafts.value[id], [field.name]: value })}
    />
  );
  const save = async () => {
    const sent = draft;
    const changed = await call('PUT', '/v1/bot/update', { bot_id: id, ...toChanges(sent) });
    show({ bot: { ...data.bot, ...changed } });
    // What was written meanwhile stays.
    const left = Object.entries(drafts.value[id] ?? {}).filter(([name, value]) => sent[name] !== value);
    keep(id, Object.fromEntries(left));
    void loadBots().catch(leaveIfRefused);
  };
  return (
    <div class="beside">
      <form
        class="settings"
        onInput={forgetNews}
        // What is wrong may lie in what is folded.
        onInvalidCapture={({ target }) => {
          forgetNews();
          const folded = (target as HTMLElement).closest('details');
          if (folded) folded.open = true;
        }}
        onSubmit={(event) => {
          event.preventDefault();
          if (isBusy.current || !requireWords(event.currentTarget)) return;
          isBusy.current = true;
          setSending(true);
          void act('Saved.', save).then(() => {
            isBusy.current = false;
            setSending(false);
          });
        }}
      >
        {fields.filter(({ group }) => group === 'agent').map(input)}
        <h2>Chat</h2>
        {fields.filter(({ group }) => group === 'chat').map(input)}
        <details class="new">
          <summary>More</summary>
          <div class="settings">{fields.filter(({ group }) => group === 'more').map(input)}</div>
        </details>
        <p class="saving">
          <button type="submit" aria-disabled={isSending}>
            Save
          </button>
          {Object.keys(draft).length > 0 && (
            <button
              type="button"
              onClick={() => {
                keep(id, {});
                forgetNews();
                focusOn(null);
              }}
            >
              Undo what is not saved
            </button>
          )}
        </p>
      </form>
      <PreviewFrame key={entries.value} botId={id} name={bot.name} branding={bot.branding} />
    </div>
  );
}

function withDraft(bot: Answer, draft: Draft): Answer {
  const { branding = {}, ...changes } = toChanges(draft);
  return { ...bot, ...changes, branding: { ...bot.branding, ...branding } };
}

interface InputProps {
  field: Field;
  value: Raw;
  change(value: Raw): void;
}

function Input({ field: { name, label, kind, most, isRequired, choices }, value, change }: InputProps) {
  if (kind === 'switch')
    return (
      <label class="switch">
        <input
          type="checkbox"
          name={name}
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked)}
        />
        {label}
      </label>
    );
  const given = {
    name,
    value: String(value),
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => change(currentTarget.value),
  };
  if (choices)
    return (
      <label>
        {label}
        <select {...given}>
          {Object.entries(choices).map(([one, said]) => (
            <option key={one} value={one}>
              {said}
            </option>
          ))}
        </select>
      </label>
    );
  if (kind === 'area' || kind === 'lines')
    return (
      <label>
        {label} <textarea rows={kind === 'area' ? 5 : 3} maxLength={most} dir="auto" {...given} />
      </label>
    );
  if (kind === 'number')
    return (
      <label>
        {label} <input type="number" required={isRequired} min={1} max={most} {...given} />
      </label>
    );
  if (kind === 'color')
    return (
      <label>
        {label} <input type="color" {...given} />
      </label>
    );
  return (
    <label>
      {label} <input required={isRequired} maxLength={most} dir="auto" {...given} />
    </label>
  );
}
